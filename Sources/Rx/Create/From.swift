extension ObservableType {
    /// A stream of these elements. Each is a turn of the scheduler, so streams subscribed together take turns.
    public static func of(
        _ elements: Element..., scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(Elements(elements, scheduler))
    }

    /// A stream of the elements of the array.
    public static func from(
        _ array: [Element], scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(Elements(array, scheduler))
    }

    /// A stream of the elements of the sequence, which is walked anew for each subscription.
    public static func from<Elements_: Sequence>(
        _ sequence: Elements_, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> where Elements_.Element == Element {
        Observable(Elements(sequence, scheduler))
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
        guard count > 0 else { return Observable(Elements([], scheduler)) }
        let (last, overflow) = start.addingReportingOverflow(count - 1)
        precondition(!overflow, "range goes past the largest number of its type.")
        return Observable(Elements((start...last).lazy.map { $0 }, scheduler))
    }
}

final class Elements<Items: Sequence>: Source<Items.Element> {
    private let items: Items
    private let scheduler: any ImmediateSchedulerType

    init(_ items: Items, _ scheduler: any ImmediateSchedulerType) {
        self.items = items
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Items.Element>) {
        let walk = Walk(items, scheduler, into: sink)
        sink.attach(walk)
        walk.step()
    }
}

/// One walk over the elements: a turn of the scheduler for each. Only the turn that runs touches the iterator.
private final class Walk<Items: Sequence>: Stage, Turning {
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

    /// Schedules the next turn. A turn finds out by itself that the walk was given up, so its disposable is not kept
    /// (a cancelled turn at a far scheduler costs one look).
    func step() { takeTurn(on: scheduler) }

    func turn() {
        while isLive {
            guard let element = iterator.next() else { return sink.completed() }
            sink.next(element)
            // Where nobody else waits for this thread, the next turn would come at once: it is taken without a queue.
            guard isOnCurrentThread, Trampoline.isIdle else {
                if isLive { step() }
                return
            }
        }
    }
}

/// Something that takes turns on a scheduler.
protocol Turning: AnyObject {
    func turn()
}

extension Turning {
    /// Schedules one turn.
    func takeTurn(on scheduler: any ImmediateSchedulerType) {
        let turning = Ferry<any Turning>(self)
        _ = scheduler.run { turning.value.turn() }
    }
}
