import Dispatch
import Rx
import RxBluetooth

/// Follows a stream, and tells how far it has come.
final class Notes<Element: Sendable>: Sendable {
    /// What a stream has told.
    struct Tally: Sendable {
        var count = 0
        var last: Element?
        var error: BluetoothError?
        /// When it was told.
        var time = Moment.now
    }

    private let tally = BehaviorRelay(value: Tally())
    private let subscription: any Disposable

    init(_ stream: Observable<Element>) {
        let tally = tally
        subscription = stream.subscribe { event in
            var now = tally.value
            switch event {
            case .next(let element):
                now.count += 1
                now.last = element
            case .error(let error): now.error = error as? BluetoothError
            case .completed: break
            }
            now.time = .now
            tally.accept(now)
        }
    }

    func dispose() { subscription.dispose() }

    var now: Tally { tally.value }

    /// Waits until that holds, and gives what was told by then; throws where it takes longer than it may.
    @discardableResult
    func wait(atMost limit: Double = 30, until holds: @escaping @Sendable (Tally) -> Bool) async throws -> Tally {
        try await tally.asObservable().filter(holds).take(1)
            .timeout(.milliseconds(Int(limit * 1_000)), scheduler: Ground.clock).asSingle().value
    }
}

/// A moment on the machine's clock.
struct Moment: Comparable {
    private let nanoseconds: UInt64

    static var now: Moment { Moment(nanoseconds: DispatchTime.now().uptimeNanoseconds) }

    static func < (one: Moment, other: Moment) -> Bool { one.nanoseconds < other.nanoseconds }

    /// Seconds from another moment to this one.
    static func - (one: Moment, other: Moment) -> Double {
        (Double(one.nanoseconds) - Double(other.nanoseconds)) / 1e9
    }
}

extension Ground {
    /// Lets real time pass, to see that nothing happens in it, or because another process needs it.
    static func pass(_ time: RxTimeInterval) async throws {
        _ = try await Observable<Int>.timer(time, scheduler: clock).asSingle().value
    }
}
