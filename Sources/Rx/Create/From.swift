extension ObservableType {
    /// A stream of these elements. Each is a turn of the scheduler, so streams subscribed together take turns.
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(SequenceSource(elements, scheduler))
    }

    /// A stream of the elements of the array.
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(SequenceSource(array, scheduler))
    }

    /// A stream of the elements of the sequence, which is walked anew for each subscription.
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        Observable(SequenceSource(sequence, scheduler))
    }
}

/// The numbers that `range`, `interval` and `timer` count with.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
    /// A stream of `count` whole numbers from `start` on. A negative count, or one past the largest number, traps.
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        precondition(count >= 0, "range needs a count that is not negative.")
        guard count > 0 else { return Observable(SequenceSource([], scheduler)) }
        let (last, overflow) = start.addingReportingOverflow(count - 1)
        precondition(!overflow, "range goes past the largest number of its type.")
        return Observable(SequenceSource((start...last).lazy.map { $0 }, scheduler))
    }
}

final class SequenceSource<Items: Sequence>: Source<Items.Element> {
    private let items: Items
    private let scheduler: any ImmediateSchedulerType

    init(_ items: Items, _ scheduler: any ImmediateSchedulerType) {
        self.items = items
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Items.Element>) {
        let emitter = SequenceEmitter(items, scheduler, into: sink)
        sink.attach(emitter)
        emitter.scheduleNext()
    }
}

/// One emitter over the elements: a turn of the scheduler for each. Only the turn that runs touches the iterator.
private final class SequenceEmitter<Items: Sequence>: SubscriptionNode, ScheduledStep {
    private var iterator: Items.Iterator
    private let scheduler: any ImmediateSchedulerType
    private let sink: Sink<Items.Element>
    private let isOnCurrentThread: Bool

    init(_ items: Items, _ scheduler: any ImmediateSchedulerType, into sink: Sink<Items.Element>) {
        iterator = items.makeIterator()
        self.scheduler = scheduler
        isOnCurrentThread = scheduler is CurrentThreadScheduler
        self.sink = sink
    }

    /// Schedules the next turn. A turn finds out by itself that the emitter was given up, so its disposable is not kept
    /// (a cancelled turn at a far scheduler costs one look).
    func scheduleNext() { scheduleStep(on: scheduler) }

    func performStep() {
        while isLive {
            guard let element = iterator.next() else { return sink.completed() }
            sink.next(element)
            // Where nobody else waits for this thread, the next turn would come at once: it is taken without a queue.
            guard isOnCurrentThread, Trampoline.isIdle else {
                if isLive { scheduleNext() }
                return
            }
        }
    }
}

/// Something that takes turns on a scheduler.
protocol ScheduledStep: AnyObject {
    func performStep()
}

extension ScheduledStep {
    /// Schedules one turn.
    func scheduleStep(on scheduler: any ImmediateSchedulerType) {
        let turning = UncheckedTransfer<any ScheduledStep>(self)
        _ = scheduler.run { turning.value.performStep() }
    }
}
