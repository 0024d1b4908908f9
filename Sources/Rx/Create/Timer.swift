extension ObservableType where Element: RxAbstractInteger {
    /// A cold stream of 0, 1, 2 …, one number a period, the first after one period. It never ends.
    ///
    /// A period of zero or less sends a number as often as the scheduler can, `.never` sends none. After the largest
    /// number of its type, the stream continues with the smallest.
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        timer(period, period: period, scheduler: scheduler)
    }

    /// A cold stream of 0 after `dueTime`, then 1, 2 … one a period. Without a period it completes after 0.
    ///
    /// A due time of zero or less means as soon as the scheduler can, `.never` means not at all.
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

/// Counts the ticks. A scheduler runs one tick at a time.
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
