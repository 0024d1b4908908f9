extension ObservableType {
    /// Creates a cold stream that sends the given elements, then completes.
    ///
    /// Each element is scheduled separately, so that the elements of streams that are subscribed to together alternate.
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(SequenceSource(elements, scheduler))
    }

    /// Creates a cold stream that sends the elements of the array, then completes.
    ///
    /// Each element is scheduled separately.
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(SequenceSource(array, scheduler))
    }

    /// Creates a cold stream of the elements of the sequence. Each subscription iterates it again.
    ///
    /// Each element is scheduled separately.
    public static func from<Elements: Sequence>(
        _ sequence: Elements, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements.Element == Element {
        Observable(SequenceSource(sequence, scheduler))
    }
}

/// The source of `of` and `from`: sends the elements of a sequence.
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

/// One iteration over the elements, with one scheduled step for each element.
///
/// Only the running step uses the iterator.
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

    /// Schedules the next step.
    ///
    /// The disposable of the step is not stored: a step after disposal checks `isLive` and returns.
    func scheduleNext() { scheduleStep(on: scheduler) }

    func performStep() {
        while isLive {
            guard let element = iterator.next() else { return sink.completed() }
            sink.next(element)
            // If no other work waits on this thread, a scheduled step would run next. So the loop continues without the
            // queue.
            guard isOnCurrentThread, Trampoline.isIdle else {
                if isLive { scheduleNext() }
                return
            }
        }
    }
}

/// Work that runs on a scheduler, step by step.
protocol ScheduledStep: AnyObject {
    func performStep()
}

extension ScheduledStep {
    /// Schedules one step.
    func scheduleStep(on scheduler: any ImmediateSchedulerType) {
        let target = UncheckedTransfer<any ScheduledStep>(self)
        _ = scheduler.run { target.value.performStep() }
    }
}
