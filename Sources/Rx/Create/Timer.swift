extension ObservableType where Element: RxAbstractInteger {
    /// A stream of 0, 1, 2 … with one number a period, the first after one period. It never ends.
    ///
    /// A period of zero or less is as short as the scheduler can make it; after the largest number comes the smallest.
    ///
    /// Cold. A period of zero or less is a number for each turn of the scheduler, `.never` none at all. After the largest
    /// number of its type it goes on with the smallest.
    public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
        Observable(TimerSource(dueTime: period, period: period, scheduler))
    }

    /// A stream of 0 after `dueTime`; with a period 1, 2 … follow without an end, without one it completes after 0.
    ///
    /// A due time of zero or less means the scheduler's next turn.
    ///
    /// Cold. A time of zero or less means in the scheduler's next turn, `.never` not at all.
    public static func timer(
        _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
    ) -> Observable<Element> {
        Observable(TimerSource(dueTime: dueTime, period: period, scheduler))
    }
}

private final class TimerSource<Element: FixedWidthInteger>: Source<Element> {
    private let dueTime: RxTimeInterval
    private let period: RxTimeInterval?
    private let scheduler: any SchedulerType

    init(dueTime: RxTimeInterval, period: RxTimeInterval?, _ scheduler: any SchedulerType) {
        self.dueTime = dueTime
        self.period = period
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) {
        let emitter = UncheckedTransfer<any ScheduledStep>(TimerEmitter(into: sink, isLast: period == nil))
        if let period {
            sink.attach(
                scheduler.schedulePeriodic((), startAfter: dueTime, period: period) { _ in emitter.value.performStep() }
            )
        } else {
            sink.attach(scheduler.run(after: dueTime) { emitter.value.performStep() })
        }
    }
}

/// Counts the ticks; a scheduler runs one tick at a time.
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
