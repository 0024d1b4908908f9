import Dispatch
import Rx
import RxBluetooth

/// Counts the elements of a stream, and waits for a count, an element or an error.
final class StreamProgress<Element: Sendable>: Sendable {
    /// The number of elements so far, and the last event.
    struct State: Sendable {
        var count = 0
        var last: Element?
        var error: BluetoothError?
        /// The moment when the last event arrived.
        var time = Moment.now
    }

    private let state = BehaviorRelay(value: State())
    private let subscription: any Disposable

    init(_ stream: Observable<Element>) {
        let state = state
        subscription = stream.subscribe { event in
            var now = state.value
            switch event {
            case .next(let element):
                now.count += 1
                now.last = element
            case .error(let error): now.error = error as? BluetoothError
            case .completed: break
            }
            now.time = .now
            state.accept(now)
        }
    }

    func dispose() { subscription.dispose() }

    var now: State { state.value }

    /// Waits until the state fulfils a condition, and returns that state.
    ///
    /// - Throws: `RxError.timeout` if the condition is not fulfilled within `limit` seconds.
    @discardableResult
    func wait(atMost limit: Double = 30, until holds: @escaping @Sendable (State) -> Bool) async throws -> State {
        try await state.asObservable().filter(holds).take(1)
            .timeout(.milliseconds(Int(limit * 1_000)), scheduler: Lab.clock).asSingle().value
    }
}

/// A moment on the monotonic clock.
struct Moment: Comparable {
    private let nanoseconds: UInt64

    static var now: Moment { Moment(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    /// Returns how many seconds `one` is later than `other`.
    static func - (one: Moment, other: Moment) -> Double {
        (Double(one.nanoseconds) - Double(other.nanoseconds)) / 1e9
    }
}

extension Lab {
    /// Waits in real time, to show that nothing happens or to let another process act.
    static func pass(_ time: RxTimeInterval) async throws {
        _ = try await Observable<Int>.timer(time, scheduler: clock).asSingle().value
    }
}
