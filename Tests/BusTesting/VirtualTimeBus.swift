package import DBus
import Dispatch
import Rx
import RxBluetoothMocks
package import RxTest
import Synchronization

/// A real message bus, with libdbus and a dbus-daemon, in virtual time.
///
/// Deadlines of its connections use the test's clock. Before that clock advances, everything that was sent has arrived
/// and was handled.
package final class VirtualTimeBus: SimulationBus {
    let scheduler: TestScheduler
    let activity = ActivityCounter()
    private let daemon: Guarded<DBusDaemon>
    private let address: String
    /// The connection for statistics and for calls to the bus itself.
    private let observer: Connection
    private let members = Guarded<[Member]>([])
    private let departed = Guarded<[String]>([])
    /// When the bus was idle: the run of the clock, and the number of calls and callbacks.
    private let idle = Guarded((run: 0, count: 0))

    private struct Member {
        weak let connection: Connection?
    }

    package init(scheduler: TestScheduler) throws {
        let daemon = try DBusDaemon()
        address = daemon.address
        observer = Connection.open(.address(daemon.address))
        self.daemon = Guarded(daemon)
        self.scheduler = scheduler
        scheduler.beforeEach { [weak self] in
            self?.deliverAll()
            return false
        }
    }

    package func join() -> any Bus {
        activity.note()
        let connection = Connection.open(.address(address))
        members.withLock { members in
            members.removeAll { $0.connection == nil }
            members.append(Member(connection: connection))
        }
        return VirtualTimeConnection(connection, on: self)
    }

    package func shutDown() {
        activity.note()
        daemon.withLock { $0.stop() }
    }

    /// Records that a member has closed its connection. dbus-daemon announces the departure a moment later.
    func left(_ name: String?) {
        activity.note()
        if let name { departed.withLock { $0.append(name) } }
    }

    /// The number of match rules of all members, from the statistics of dbus-daemon.
    package var matchRules: Int {
        let (bus, isDone) = ("org.freedesktop.DBus", DispatchSemaphore(value: 0))
        let count = Guarded(0)
        guard
            let call = try? Message.call(
                to: bus, path: "/org/freedesktop/DBus", interface: bus + ".Debug.Stats", member: "GetStats")
        else { return 0 }
        observer.call(call, timeout: .seconds(20)) { result in
            let value = try? result.get().read { (body) throws(DBusError) in try body.value() }
            if case .dictionary(_, _, let entries)? = value,
                case .variant(.uint32(let rules))? = entries.first(where: { $0.key == .string("MatchRules") })?.value
            {
                count.withLock { $0 = Int(rules) }
            }
            isDone.signal()
        }
        isDone.wait()
        return count.withLock { $0 }
    }

    package func settle() { scheduler.advanceBy(0) }

    /// Makes round trips of all members to the bus until no member is active any more.
    // The reply of a round trip follows all earlier messages from and to the member. Two idle rounds are needed,
    // because a message may have been in transit during the first one.
    private func deliverAll() {
        // If nothing was sent since the bus was idle, it still is. Between two runs of the clock, a test may have
        // replied to a call, which is not counted.
        let run = scheduler.runCount
        guard idle.withLock({ $0 }) != (run, activity.count) else { return }
        var quiet = 0
        while quiet < 2 {
            let before = activity.count
            awaitDepartures()
            let connections = members.withLock { $0.compactMap(\.connection) }
            let trips = connections.map { RoundTrip($0, "GetId") }
            for trip in trips { _ = trip.end() }
            quiet = activity.count == before ? quiet + 1 : 0
            idle.withLock { $0 = (run, before) }
        }
    }

    private func awaitDepartures() {
        let names = departed.withLock { departed in
            defer { departed = [] }
            return departed
        }
        for name in names {
            var tries = 0
            while RoundTrip(observer, "NameHasOwner", name).end(), tries < 10_000 { tries += 1 }
        }
    }
}

/// A call to the bus itself, which the bus answers after everything that was sent before.
private final class RoundTrip: Sendable {
    private let isDone = DispatchSemaphore(value: 0)
    private let answer = Guarded(false)

    init(_ connection: Connection, _ member: String, _ argument: String? = nil) {
        let bus = "org.freedesktop.DBus"
        let call = try? Message.call(to: bus, path: "/org/freedesktop/DBus", interface: bus, member: member) {
            (body) throws(DBusError) in
            if let argument { try body.string(argument) }
        }
        guard let call else { return }
        connection.call(call, timeout: .seconds(120)) { [self] result in
            // Most trips only have to end, and there are many.
            if argument != nil {
                let value = try? result.get().read { (body) throws(DBusError) in try body.value() }
                answer.withLock { $0 = value == .bool(true) }
            }
            isDone.signal()
        }
    }

    /// Waits for the answer. Returns true if the answer is the value true.
    func end() -> Bool {
        _ = isDone.wait(timeout: .now() + 120)
        return answer.withLock { $0 }
    }
}

/// Counts the calls and callbacks of all members, so that ``VirtualTimeBus`` can detect when the bus is idle.
final class ActivityCounter: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func note() { number.add(1, ordering: .sequentiallyConsistent) }
}
