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

private final class Window<Element>: Timed<Element, Observable<Element>> {
    private let count: Int

    init(_ upstream: Source<Element>, _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType) {
        self.count = count
        super.init(upstream, timeSpan, scheduler)
    }

    override func run(_ sink: Sink<Observable<Element>>) {
        let hub = WindowHub<Element>(dueTime, count, scheduler, into: sink)
        hub.gate.pass(hub) { $0.open() }
        hub.keep(
            upstream,
            with: Input<Element>(
                of: hub, in: hub.kept, onNext: { hub.put($0) }, onCompleted: { hub.end() }, onError: { hub.end($0) }))
    }
}

private final class WindowHub<Element>: Nest<Observable<Element>> {
    private let timeSpan: RxTimeInterval
    private let count: Int
    private let alarm: Alarm
    // Touched inside the gate only.
    private var window = SubjectCore<Element>()
    private var received = 0

    init(
        _ timeSpan: RxTimeInterval, _ count: Int, _ scheduler: any SchedulerType,
        into downstream: Sink<Observable<Element>>
    ) {
        self.timeSpan = timeSpan
        self.count = count
        alarm = Alarm(scheduler)
        super.init(into: downstream)
        kept.add(alarm)
    }

    func open() {
        forward(stream(of: window))
        alarm.set(after: timeSpan, in: gate) { self.turnOver() }
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
        kept.dispose()
    }

    func end(_ error: any Error) {
        window.error(error)
        fail(error)
        kept.dispose()
    }
}
