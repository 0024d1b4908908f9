extension ObservableType {
    /// Emits the latest element whenever the sampler sends an element, and when the sampler completes.
    ///
    /// If no new element has arrived since the previous sample, the default value is sent, if there is one. After this
    /// stream has completed, the next sample is the last. An error of either stream is forwarded at once.
    public func sample<Sampler: ObservableType>(
        _ sampler: Sampler, defaultValue: Element? = nil
    ) -> Observable<Element> {
        let (upstream, sampler) = (asObservable().source, sampler.asObservable().source)
        return Observable(
            MultiInputSource { downstream in
                let sink = SampleSink(defaultValue, into: downstream)
                sink.subscribe(
                    to: upstream,
                    with: ClosureInput<Element>(of: sink, onNext: { sink.store($0) }, onCompleted: { sink.end() }))
                sink.subscribe(
                    to: sampler,
                    with: ClosureInput<Sampler.Element>(
                        of: sink, onNext: { _ in sink.send() }, onCompleted: { sink.endSampling() }))
            })
    }
}

private final class SampleSink<Element>: MultiInputSink<Element> {
    private let defaultValue: Element?
    // Used inside the operator's serial drain only.
    private var latest: Element?
    private var ended = false
    private var samplingEnded = false

    init(_ defaultValue: Element?, into downstream: Sink<Element>) {
        self.defaultValue = defaultValue
        super.init(into: downstream)
    }

    // Swaps the elements, so that the old element is released after the new element is stored.
    func store(_ value: Element) {
        var new: Element? = value
        swap(&latest, &new)
    }

    func send() {
        if let element = latest.take() ?? defaultValue { forward(element) }
        if ended { finish() }
    }

    func end() {
        ended = true
        // As in RxSwift, the result never completes if the sampler has completed before this stream.
        if samplingEnded { disposeSilently() }
    }

    func endSampling() {
        samplingEnded = true
        send()
    }
}
