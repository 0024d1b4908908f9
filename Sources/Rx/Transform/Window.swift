public import Dispatch

extension ObservableType {
    /// The elements in streams that follow each other: one completes, and the next is sent, after `count` elements or
    /// `timeSpan`, whichever comes first. Both begin anew with each stream.
    ///
    /// The first stream is sent at subscription. The inner streams are hot and end as the source does. The source is
    /// kept as long as the outer subscription or the one to any inner stream lasts. A count of 0 or less sets no limit;
    /// a span of `.never` waits for the count alone.
    public func window(
        timeSpan: RxTimeInterval, count: Int, scheduler: any SchedulerType
    ) -> Observable<Observable<Element>> {
        Observable<Observable<Element>>(Window(asObservable().source, timeSpan, count, scheduler))
    }
}

private final class Window<Element>: TimedSource<Element, Observable<Element>> {
    private let count: Int

    init(_ upstream: Source<Element>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType) {
        self.count = count
        super.init(upstream, timeSpan, scheduler)
    }

    override func run(_ downstream: Sink<Observable<Element>>) {
        let sink = WindowSink<Element>(dueTime, count, scheduler, into: downstream)
        sink.drain.perform(on: sink) { $0.open() }
        sink.keep(
            upstream,
            with: ClosureInput<Element>(
                of: sink, in: sink.sourceTeardown, onNext: { sink.put($0) }, onCompleted: { sink.end() },
                onError: { sink.end($0) }))
    }
}

private final class WindowSink<Element>: InnerStreamsSink<Observable<Element>> {
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let timer: OperatorTimer
    // Touched inside the drain only.
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
        forward(stream(of: window))
        timer.set(after: timeSpan, in: drain) { self.turnOver() }
    }

    func put(_ value: Element) {
        window.next(value)
        received += 1
        if received == count { turnOver() }
    }

    private func turnOver() {
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
