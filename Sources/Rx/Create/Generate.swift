extension ObservableType {
    /// The state, and what `iterate` makes of it again and again, as long as the condition holds; then it completes.
    ///
    /// Cold. Each element is a turn of the scheduler. A closure that throws is an error of the stream.
    @preconcurrency
    public static func generate(
        initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
        scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance,
        iterate: @escaping @Sendable (Element) throws -> Element
    ) -> Observable<Element> {
        Observable(Generate(initialState, condition, scheduler, iterate))
    }

    /// The element again and again without an end, a turn of the scheduler each. Cold.
    public static func repeatElement(
        _ element: Element, scheduler: any ImmediateSchedulerType = CurrentThreadScheduler.instance
    ) -> Observable<Element> {
        Observable(SequenceSource(Swift.repeatElement(element, count: .max), scheduler))
    }
}

private final class Generate<Element>: Source<Element> {
    private let initialState: Element
    private let condition: @Sendable (Element) throws -> Bool
    private let scheduler: any ImmediateSchedulerType
    private let iterate: @Sendable (Element) throws -> Element

    init(
        _ initialState: Element, _ condition: @escaping @Sendable (Element) throws -> Bool,
        _ scheduler: any ImmediateSchedulerType, _ iterate: @escaping @Sendable (Element) throws -> Element
    ) {
        self.initialState = initialState
        self.condition = condition
        self.scheduler = scheduler
        self.iterate = iterate
    }

    override func run(_ sink: Sink<Element>) {
        let emitter = GenerateEmitter(initialState, condition, scheduler, iterate, into: sink)
        sink.attach(emitter)
        emitter.scheduleNext()
    }
}

/// One run: a turn of the scheduler for each element. Only the turn that runs touches the state.
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
