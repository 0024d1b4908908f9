import Rx

extension Observable where Element: Sendable {
    /// Delivers the stream on another scheduler, through a buffer of a fixed capacity (S81).
    func observe(
        on scheduler: any SchedulerType, within buffer: ValueBuffer, overflow: BluetoothError,
        dropped: @escaping @Sendable () -> Void
    ) -> Observable<Element> {
        Observable.createSerial { observer in
            let delivery = BoundedDelivery(observer, scheduler, buffer, overflow, dropped)
            let subscription = self.subscribe { delivery.enqueue($0) }
            return Disposables.create {
                delivery.stop()
                subscription.dispose()
            }
        }
    }
}

/// Buffers values between the bus context, which must not wait, and a subscriber that may be slow.
private final class BoundedDelivery<Element: Sendable>: Sendable {
    private struct State {
        var waiting = Ring<Element>()
        var end: Event<Element>?
        var isStopped = false
        /// Whether a scheduled run is delivering.
        var isDelivering = false
        /// The number of runs that began while another run was delivering. That run does their work.
        var pendingRuns = 0
    }

    private let state = Guarded(State())
    private let observer: SerialObserver<Element>
    private let scheduler: any SchedulerType
    private let buffer: ValueBuffer
    private let overflow: BluetoothError
    private let dropped: @Sendable () -> Void

    init(
        _ observer: SerialObserver<Element>, _ scheduler: any SchedulerType, _ buffer: ValueBuffer,
        _ overflow: BluetoothError, _ dropped: @escaping @Sendable () -> Void
    ) {
        self.observer = observer
        self.scheduler = scheduler
        self.buffer = buffer
        self.overflow = overflow
        self.dropped = dropped
    }

    /// Adds an event, and schedules a run that delivers it.
    ///
    /// Each event has its own run, so that it keeps its order among the events of other streams (S76). A value that
    /// replaces another value uses the run of the replaced value.
    func enqueue(_ event: Event<Element>) {
        let (isScheduled, isLost): (Bool, Bool) = state.withLock { state in
            guard !state.isStopped, state.end == nil else { return (false, false) }
            guard case .next(let value) = event else {
                state.end = event
                return (true, false)
            }
            if state.waiting.count < buffer.capacity {
                state.waiting.append(value)
                return (true, false)
            }
            switch buffer.overflow {
            case .fail: state.end = .error(overflow)
            case .dropOldest:
                _ = state.waiting.removeFirst()
                state.waiting.append(value)
            case .dropNewest: break
            }
            return (state.end != nil, true)
        }
        if isLost { dropped() }
        guard isScheduled else { return }
        _ = scheduler.schedule(()) { _ in
            self.deliver()
            return Disposables.create()
        }
    }

    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.waiting = Ring()
        }
    }

    private func deliver() {
        let isFirst = state.withLock { state in
            if state.isDelivering { state.pendingRuns += 1 }
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        guard isFirst else { return }
        while let event = next() {
            observer.on(event)
            let continues = state.withLock { state in
                state.isDelivering = state.pendingRuns > 0
                if state.isDelivering { state.pendingRuns -= 1 }
                return state.isDelivering
            }
            if !continues { return }
        }
    }

    private func next() -> Event<Element>? {
        state.withLock { state in
            if let value = state.waiting.removeFirst() { return .next(value) }
            let end = state.isStopped ? nil : state.end
            state.isStopped = state.isStopped || end != nil
            if end == nil { state.isDelivering = false }
            return end
        }
    }
}

/// A FIFO queue in a ring buffer: adding and removing take constant time.
private struct Ring<Element> {
    private var places: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == places.count { grow() }
        places[(head + count) % places.count] = element
        count += 1
    }

    mutating func removeFirst() -> Element? {
        guard count > 0 else { return nil }
        let first = places[head]
        places[head] = nil
        head = (head + 1) % places.count
        count -= 1
        return first
    }

    private mutating func grow() {
        places = Array(places[head...] + places[..<head]) + [Element?](repeating: nil, count: max(8, places.count))
        head = 0
    }
}
