/// The integer types with which `range`, `interval` and `timer` count.
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
    /// Creates a cold stream that sends `count` consecutive integers from `start` on, then completes.
    ///
    /// Each element is scheduled separately. A negative count, or a range beyond the largest integer of the type,
    /// traps.
    public static func range(
        start: Element, count: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        precondition(count >= 0, "range: count must not be negative.")
        precondition(
            count == 0 || !start.addingReportingOverflow(count - 1).overflow,
            "range: the last number exceeds the largest one of its type.")
        return Observable(RangeSource(start, count, scheduler))
    }
}

private final class RangeSource<Element: FixedWidthInteger>: Source<Element> {
    private let start: Element
    private let count: Element
    private let scheduler: any ImmediateSchedulerType

    init(_ start: Element, _ count: Element, _ scheduler: any ImmediateSchedulerType) {
        self.start = start
        self.count = count
        self.scheduler = scheduler
    }

    override func run(_ sink: Sink<Element>) {
        let emitter = RangeEmitter(start, count, scheduler, into: sink)
        sink.attach(emitter)
        emitter.scheduleNext()
    }
}

/// One run of `range`, with one scheduled step for each element.
///
/// Only the running step uses the numbers.
private final class RangeEmitter<Element: FixedWidthInteger>: SubscriptionNode, ScheduledStep {
    private var number: Element
    private var left: Element
    private let scheduler: any ImmediateSchedulerType
    private let isOnCurrentThread: Bool
    private let sink: Sink<Element>

    init(_ start: Element, _ count: Element, _ scheduler: any ImmediateSchedulerType, into sink: Sink<Element>) {
        number = start
        left = count
        self.scheduler = scheduler
        isOnCurrentThread = scheduler is CurrentThreadScheduler
        self.sink = sink
    }

    /// Schedules the next step. A step after disposal returns at once, so its disposable is not stored.
    func scheduleNext() { scheduleStep(on: scheduler) }

    func performStep() {
        // Local copies, because each change of a generic field costs a check for exclusive access.
        var (number, left) = (number, left)
        let (one, none): (Element, Element) = (1, 0)
        while isLive {
            guard left != none else { return sink.completed() }
            let element = number
            number = element &+ one
            left = left &- one
            sink.next(element)
            // As in `SequenceEmitter`: a scheduled step would run next.
            guard isOnCurrentThread, Trampoline.isIdle else {
                (self.number, self.left) = (number, left)
                if isLive { scheduleNext() }
                return
            }
        }
    }
}
