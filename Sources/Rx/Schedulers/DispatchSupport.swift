import Dispatch

extension DispatchTimeInterval {
    /// The interval in seconds; infinite for `.never`.
    var seconds: Double {
        switch self {
        case .seconds(let value): Double(value)
        case .milliseconds(let value): Double(value) / 1e3
        case .microseconds(let value): Double(value) / 1e6
        case .nanoseconds(let value): Double(value) / 1e9
        default: .infinity
        }
    }

    /// The interval, or none at all where it is negative.
    var clamped: DispatchTimeInterval {
        switch self {
        case .seconds(let value): .seconds(max(0, value))
        case .milliseconds(let value): .milliseconds(max(0, value))
        case .microseconds(let value): .microseconds(max(0, value))
        case .nanoseconds(let value): .nanoseconds(max(0, value))
        default: .never
        }
    }

    /// The nearest interval of nanoseconds, `.never` where it is too long to count.
    init(seconds: Double) {
        self = seconds < 9e9 ? .nanoseconds(Int((seconds * 1e9).rounded())) : .never
    }
}

/// Marks schedulers on libdispatch's queues and clock, where operators may wait and batch in leaner ways.
protocol RealTimeScheduler {}

/// Work for a dispatch queue: now, later, and again and again. Both queue schedulers are made of it.
///
/// Guard: libdispatch's objects may be used from any thread.
struct QueueWork: @unchecked Sendable {
    let queue: DispatchQueue
    let leeway: DispatchTimeInterval

    func schedule<State>(_ state: State, _ action: @escaping @Sendable (State) -> any Disposable) -> any Disposable {
        let parcel = Ferry(state)
        let item = ScheduledAction { action(parcel.value) }
        queue.async { item.run() }
        return item
    }

    func schedule<State>(
        _ state: State, after dueTime: RxTimeInterval, _ action: @escaping @Sendable (State) -> any Disposable
    ) -> any Disposable {
        let parcel = Ferry(state)
        let item = ScheduledAction { action(parcel.value) }
        let timer = QueueTimer(on: queue)
        timer.start(after: dueTime, period: .never, leeway: leeway) {
            timer.dispose()
            item.run()
        }
        return Disposables.create(timer, item)
    }

    func schedule<State>(
        _ state: State, startAfter: RxTimeInterval, period: RxTimeInterval,
        _ action: @escaping @Sendable (State) -> State
    ) -> any Disposable {
        let cell = PeriodicState(state)
        let timer = QueueTimer(on: queue)
        timer.start(after: startAfter, period: period, leeway: leeway) {
            if !timer.isDisposed { cell.state = action(cell.state) }
        }
        return timer
    }
}

/// The state between two ticks. Guard: a timer source runs one handler at a time.
private final class PeriodicState<State>: @unchecked Sendable {
    var state: State
    init(_ state: State) { self.state = state }
}

/// A timer of libdispatch that is cancelled once. Guard: libdispatch's own, and the atomic flag of `cancelled`.
private final class QueueTimer: Cancelable, @unchecked Sendable {
    private let timer: any DispatchSourceTimer
    private let cancelled = BooleanDisposable()

    init(on queue: DispatchQueue) { timer = DispatchSource.makeTimerSource(queue: queue) }

    var isDisposed: Bool { cancelled.isDisposed }

    func start(
        after dueTime: RxTimeInterval, period: RxTimeInterval, leeway: RxTimeInterval,
        _ work: @escaping @Sendable () -> Void
    ) {
        timer.schedule(deadline: .now() + dueTime.clamped, repeating: period.clamped, leeway: leeway)
        // The handler holds the timer until it is cancelled: libdispatch must not lose a live source.
        timer.setEventHandler(handler: work)
        timer.resume()
    }

    func dispose() {
        if cancelled.markDisposed() {
            timer.cancel()
            // libdispatch drops the handler, and with it this object, when the cancellation is through.
        }
    }
}
