extension ObservableType {
    /// The latest element each time the sampler sends one, and once more when the sampler completes.
    ///
    /// A sample without a new element is skipped, or is the default if there is one. After the stream completed the next
    /// sample is the last. An error of either is told at once.
    public func sample<Sampler: ObservableType>(
        _ sampler: Sampler, defaultValue: Element? = nil
    ) -> Observable<Element> {
        Observable(Sample(asObservable().source, sampler.asObservable().source, defaultValue))
    }
}

private final class Sample<Element, Signal>: Source<Element> {
    private let upstream: Source<Element>
    private let sampler: Source<Signal>
    private let defaultValue: Element?

    init(_ upstream: Source<Element>, _ sampler: Source<Signal>, _ defaultValue: Element?) {
        self.upstream = upstream
        self.sampler = sampler
        self.defaultValue = defaultValue
    }

    override func run(_ downstream: Sink<Element>) {
        let sink = SampleSink(defaultValue, into: downstream)
        sink.subscribe(
            to: upstream, with: ClosureInput<Element>(of: sink, onNext: { sink.keep($0) }, onCompleted: { sink.end() }))
        sink.subscribe(
            to: sampler,
            with: ClosureInput<Signal>(of: sink, onNext: { _ in sink.send() }, onCompleted: { sink.endSampling() }))
    }
}

private final class SampleSink<Element>: MultiInputSink<Element> {
    private let defaultValue: Element?
    // These are touched inside the drain only.
    private var latest: Element?
    private var ended = false
    private var samplingEnded = false

    init(_ defaultValue: Element?, into downstream: Sink<Element>) {
        self.defaultValue = defaultValue
        super.init(into: downstream)
    }

    func keep(_ value: Element) {
        var kept: Element? = value
        swap(&latest, &kept)
    }

    func send() {
        if let element = latest.take() ?? defaultValue { forward(element) }
        if ended { finish() }
    }

    func end() {
        ended = true
        // As in RxSwift the end is never told when the sampler ended first.
        if samplingEnded { disposeSilently() }
    }

    func endSampling() {
        samplingEnded = true
        send()
    }
}
