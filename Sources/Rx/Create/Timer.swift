extension ObservableType where Element: RxAbstractInteger {
    /// Creates a cold stream that sends 0, 1, 2 …, one number after each period. It never ends.
    ///
    /// With a period of zero or less, the stream sends numbers as often as the scheduler can; with `.never`, it sends
    /// none. After the largest number of its type, the stream continues with the smallest.
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timer(period, period: period, scheduler: scheduler)
    }

    /// Creates a cold stream that sends 0 after `dueTime`, then 1, 2 …, one number after each period.
    ///
    /// Without a period, the stream completes after 0.
    ///
    /// With a due time of zero or less, the stream sends 0 as soon as the scheduler can; with `.never`, it sends
    /// nothing.
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Observable(
            MultiInputSource { downstream in
                let emitter = UncheckedTransfer<any ScheduledStep>(
                    TimerEmitter(into: downstream, isLast: period == nil))
                if let period {
                    downstream.attach(
                        scheduler.schedulePeriodic((), startAfter: dueTime, period: period) { _ in
                            emitter.value.performStep()
                        })
                } else {
                    downstream.attach(scheduler.run(after: dueTime) { emitter.value.performStep() })
                }
            })
    }
}

/// The state of `timer` and `interval`: counts the ticks, which a scheduler runs one after another.
private final class TimerEmitter<Element: FixedWidthInteger>: ScheduledStep {
    private let sink: Sink<Element>
    private let isLast: Bool
    private var number: Element = 0

    init(into sink: Sink<Element>, isLast: Bool) {
        self.sink = sink
        self.isLast = isLast
    }

    func performStep() {
        sink.next(number)
        number &+= 1
        if isLast { sink.completed() }
    }
}
