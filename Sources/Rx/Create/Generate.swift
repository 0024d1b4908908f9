extension ObservableType {
    /// Creates a cold stream of a state and its successors. It completes when the condition is false.
    ///
    /// `iterate` returns the successor of a state. Each element is scheduled separately. If a closure throws, the
    /// stream fails with that error.
    @preconcurrency
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        Observable(
            MultiInputSource { downstream in
                let emitter = GenerateEmitter(initialState, condition, scheduler, iterate, into: downstream)
                downstream.attach(emitter)
                emitter.scheduleNext()
            })
    }

    /// Creates a cold stream that repeats the element without end. Each element is scheduled separately.
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(SequenceSource(Swift.repeatElement(element, count: .max), scheduler))
    }
}

/// One run of `generate`, with one scheduled step for each element.
///
/// Only the running step uses the state.
private final class GenerateEmitter<Element>: SubscriptionNode, ScheduledStep {
    private var state: Element
    private var isFirst = true
    private let condition: @Sendable (Element) throws -> Bool
    private let scheduler: any ImmediateSchedulerType
    private let iterate: @Sendable (Element) throws -> Element
    private let sink: Sink<Element>

    init(
        _ state: Element, _ condition: @escaping @Sendable (Element) throws -> Bool,
        _ scheduler: any ImmediateSchedulerType, _ iterate: @escaping @Sendable (Element) throws -> Element,
        into sink: Sink<Element>
    ) {
        self.state = state
        self.condition = condition
        self.scheduler = scheduler
        self.iterate = iterate
        self.sink = sink
    }

    func scheduleNext() { scheduleStep(on: scheduler) }

    func performStep() {
        guard isLive else { return }
        do {
            if !isFirst { state = try iterate(state) }
            isFirst = false
            if try condition(state) {
                sink.next(state)
                if isLive { scheduleNext() }
            } else {
                sink.completed()
            }
        } catch {
            sink.error(error)
        }
    }
}
