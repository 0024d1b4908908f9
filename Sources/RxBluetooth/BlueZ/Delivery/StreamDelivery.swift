import Rx

extension Observable where Element: Sendable {
    /// Delivers the stream through a delivery queue, with a buffer before the subscriber (S81).
    func observe(by queue: DeliveryQueue, within buffer: DeliveryBuffer<Element>) -> Observable<Element> {
        Observable.createSerial { observer in
            let delivery = StreamDelivery(observer, queue, buffer)
            let subscription = self.subscribe { delivery.enqueue($0) }
            return Disposables.create {
                delivery.stop()
                subscription.dispose()
            }
        }
    }
}

/// The buffer between the bus context, which must not wait, and a subscriber that may be slow.
struct DeliveryBuffer<Element: Sendable>: Sendable {
    /// What happens when an element arrives and the buffer is full.
    enum Overflow: Sendable {
        case fail(BluetoothError)
        case dropOldest
        case dropNewest
        /// Drops elements that newer elements replace. If few are replaced, the buffer grows.
        case compact(@Sendable ([Element]) -> [Element])
    }

    var capacity: Int
    var overflow: Overflow
    /// Called with the number of dropped elements, in the context of the stream's source.
    var dropped: @Sendable (Int) -> Void = { _ in }

    /// A buffer that holds any number of elements.
    static var unlimited: DeliveryBuffer { DeliveryBuffer(capacity: .max, overflow: .dropNewest) }
}

/// Passes the events of one stream from the bus context to the subscriber, through a delivery queue.
final class StreamDelivery<Element: Sendable>: DeliveryRun, @unchecked Sendable {
    // Guard: the lock of `Guarded`. No code of users runs under the lock.
    private let state: Guarded<DeliveryState<Element>>
    private let observer: SerialObserver<Element>
    private let queue: DeliveryQueue
    private let dropped: @Sendable (Int) -> Void

    init(_ observer: SerialObserver<Element>, _ queue: DeliveryQueue, _ buffer: DeliveryBuffer<Element> = .unlimited) {
        self.observer = observer
        self.queue = queue
        state = Guarded(DeliveryState(buffer))
        dropped = buffer.dropped
        super.init { ($0 as? StreamDelivery<Element>)?.deliverNext() }
    }

    /// Adds an event, and a run that delivers it.
    func enqueue(_ event: Event<Element>) {
        let (addsRun, drops) = state.withLock { $0.enqueue(event) }
        if drops > 0 { dropped(drops) }
        if addsRun { queue.enqueue(self) }
    }

    func stop() { state.withLock { $0.stop() } }

    private func deliverNext() {
        var step = state.withLock { $0.beginRun() }
        while true {
            switch step {
            case .nothing: return
            case .element(let element): observer.onNext(element)
            case .end(.failed(let error)): observer.onError(error)
            case .end(.completed): observer.on(.completed)
            }
            step = state.withLock { $0.endStep() }
        }
    }
}

/// The waiting events of a stream, and the runs that deliver them.
private struct DeliveryState<Element: Sendable> {
    private var waiting = Ring<Element>()
    private var capacity: Int
    private let buffer: DeliveryBuffer<Element>
    private var ending: Ending?
    private var isStopped = false
    /// The number of runs in the delivery queue.
    private var runs = 0
    /// Whether a run is delivering.
    private var isDelivering = false
    /// The number of runs that began while another run was delivering. That run does their work.
    private var pendingRuns = 0

    enum Ending {
        case completed
        case failed(any Error)
    }

    /// What a run delivers.
    enum Step {
        case element(Element)
        case end(Ending)
        case nothing
    }

    init(_ buffer: DeliveryBuffer<Element>) {
        self.buffer = buffer
        capacity = buffer.capacity
    }

    /// Adds an event. Returns whether it needs a run, and the number of lost elements.
    ///
    /// Each event has its own run, so that it keeps its order among the events of other streams (S76). An element that
    /// replaces another element uses the run of the replaced element.
    mutating func enqueue(_ event: Event<Element>) -> (addsRun: Bool, drops: Int) {
        guard !isStopped, ending == nil else { return (false, 0) }
        var drops = 0
        switch event {
        case .next(let element):
            if waiting.count >= capacity { drops = overflow() }
            if waiting.count < capacity { waiting.append(element) }
        case .error(let error): ending = .failed(error)
        case .completed: ending = .completed
        }
        let addsRun = runs < waiting.count + (ending == nil ? 0 : 1)
        if addsRun { runs += 1 }
        return (addsRun, drops)
    }

    /// Makes room in a full buffer if its policy permits. Returns the number of lost elements.
    private mutating func overflow() -> Int {
        switch buffer.overflow {
        case .fail(let error):
            ending = .failed(error)
            return 1
        case .dropNewest: return 1
        case .dropOldest:
            _ = waiting.removeFirst()
            return 1
        case .compact(let compact):
            let before = waiting.count
            waiting = Ring(compact(waiting.elements))
            // The capacity is twice the number of elements that cannot be dropped, so that compacting stays rare.
            capacity = max(buffer.capacity, waiting.count * 2)
            return before - waiting.count
        }
    }

    mutating func stop() {
        isStopped = true
        waiting = Ring()
    }

    /// Begins a run. Returns what it delivers.
    mutating func beginRun() -> Step {
        runs -= 1
        if isDelivering {
            pendingRuns += 1
            return .nothing
        }
        return nextStep()
    }

    /// Ends the step of a run. Returns what the run delivers next.
    mutating func endStep() -> Step {
        isDelivering = false
        guard pendingRuns > 0 else { return .nothing }
        pendingRuns -= 1
        return nextStep()
    }

    private mutating func nextStep() -> Step {
        if let element = waiting.removeFirst() {
            isDelivering = true
            return .element(element)
        }
        guard !isStopped, let ending else { return .nothing }
        isStopped = true
        isDelivering = true
        return .end(ending)
    }
}

/// A FIFO queue in a ring buffer: adding and removing take constant time.
struct Ring<Element> {
    private var places: [Element?] = []
    private var head = 0
    private(set) var count = 0

    init() {}

    init(_ elements: [Element]) {
        places = elements
        count = elements.count
    }

    /// The elements in their order.
    var elements: [Element] { (0..<count).compactMap { places[(head + $0) % places.count] } }

    mutating func append(_ element: Element) {
        if count == places.count { grow() }
        let end = head + count
        places[end < places.count ? end : end - places.count] = element
        count += 1
    }

    mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            head = head + 1 == places.count ? 0 : head + 1
            count -= 1
        }
        return places[head].take()
    }

    private mutating func grow() {
        places = Array(places[head...] + places[..<head]) + [Element?](repeating: nil, count: max(8, places.count))
        head = 0
    }
}
