public import Dispatch

extension ObservableType {
    /// Emits consecutive inner streams, each of at most `count` elements from a time of `timeSpan`.
    ///
    /// The first inner stream is sent at subscription. When an inner stream has `count` elements or its time is over,
    /// it completes, and the next inner stream is sent. The inner streams are hot and end as the source does. The
    /// subscription to the source lasts as long as the outer stream or any inner stream has a subscription. A count of
    /// 0 or less sets no limit of the number, and `.never` sets no limit of the time.
    public func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        let upstream = asObservable().source
        return Observable<Observable<Element>>(
            MultiInputSource { downstream in
                let sink = WindowSink<Element>(timeSpan, count, scheduler, into: downstream)
                sink.drain.perform(on: sink) { $0.open() }
                sink.subscribeWhileUsed(
                    to: upstream,
                    with: ClosureInput<Element>(
                        of: sink, in: sink.sourceTeardown, onNext: { sink.receive($0) }, onCompleted: { sink.end() },
                        onError: { sink.end($0) }))
            })
    }
}

private final class WindowSink<Element>: InnerStreamsSink<Observable<Element>> {
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let timer: OperatorTimer
    // Used inside the operator's serial drain only.
    private var window = SubjectCore<Element>()
    private var received = 0

    init(
        _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType,
        into downstream: Sink<Observable<Element>>
    ) {
        self.timeSpan = timeSpan
        self.count = count
        timer = OperatorTimer(scheduler)
        super.init(into: downstream)
        sourceTeardown.add(timer)
    }

    func open() {
        forward(innerStream(of: window))
        timer.set(after: timeSpan, in: drain) { self.startNext() }
    }

    func receive(_ value: Element) {
        window.next(value)
        received += 1
        if received == count { startNext() }
    }

    private func startNext() {
        received = 0
        let full = window
        window = SubjectCore()
        full.completed()
        open()
    }

    func end() {
        window.completed()
        finish()
        sourceTeardown.dispose()
    }

    func end(_ error: any Error) {
        window.error(error)
        fail(error)
        sourceTeardown.dispose()
    }
}
