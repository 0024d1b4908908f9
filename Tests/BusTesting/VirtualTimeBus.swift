package import DBus
import Dispatch
import Rx
import RxBluetoothMocks
package import RxTest
import Synchronization

/// A real message bus, with libdbus and a dbus-daemon of its own, in the time of a test: the deadlines of its parties are on
/// the test's clock, and before that moves on, everything that was sent has arrived and been handled.
package final class VirtualTimeBus: SimulationBus {
    let scheduler: TestScheduler
    let activity = ActivityCounter()
    private let daemon: Guarded<DBusDaemon>
    private let address: String
    /// Looks at the bus from outside.
    private let watcher: Connection
    private let parties = Guarded<[Member]>([])
    private let leavers = Guarded<[String]>([])

    private struct Member {
        weak let connection: Connection?
    }

    package init(scheduler: TestScheduler) throws {
        let daemon = try DBusDaemon()
        address = daemon.address
        watcher = Connection.open(.address(daemon.address))
        self.daemon = Guarded(daemon)
        self.scheduler = scheduler
        scheduler.beforeEach { [weak self] in self?.exchange() }
    }

    package func join() -> any Bus {
        let connection = Connection.open(.address(address))
        parties.withLock { parties in
            parties.removeAll { $0.connection == nil }
            parties.append(Member(connection: connection))
        }
        return VirtualTimeConnection(connection, on: self)
    }

    package func shutDown() { daemon.withLock { $0.stop() } }

    /// A party has closed its connection; the bus tells others of it a moment later.
    func left(_ name: String?) {
        if let name { leavers.withLock { $0.append(name) } }
    }

    /// How many match rules all parties have, as dbus-daemon counts them.
    package var matchRules: Int {
        let (bus, isOver) = ("org.freedesktop.DBus", DispatchSemaphore(value: 0))
        let count = Guarded(0)
        guard
            let call = try? Message.call(
                to: bus, path: "/org/freedesktop/DBus", interface: bus + ".Debug.Stats", member: "GetStats")
        else { return 0 }
        watcher.call(call, timeout: .seconds(20)) { result in
            let value = try? result.get().read { (body) throws(DBusError) in try body.value() }
            if case .dictionary(_, _, let entries)? = value,
                case .variant(.uint32(let rules))? = entries.first(where: { $0.key == .string("MatchRules") })?.value
            {
                count.withLock { $0 = Int(rules) }
            }
            isOver.signal()
        }
        isOver.wait()
        return count.withLock { $0 }
    }

    package func settle() { scheduler.advanceBy(0) }

    /// A round trip of each party brings what was sent to it before, and takes along what it sent. It takes two rounds in
    /// which nothing happened, for the first may have missed a message that was still under way.
    private func exchange() {
        var quiet = 0
        while quiet < 2 {
            let before = activity.count
            seeOff()
            let connections = parties.withLock { $0.compactMap(\.connection) }
            let trips = connections.map { RoundTrip($0, "GetId") }
            for trip in trips { _ = trip.end() }
            quiet = activity.count == before ? quiet + 1 : 0
        }
    }

    private func seeOff() {
        let names = leavers.withLock { leavers in
            defer { leavers = [] }
            return leavers
        }
        for name in names {
            var tries = 0
            while RoundTrip(watcher, "NameHasOwner", name).end(), tries < 10_000 { tries += 1 }
        }
    }
}

/// A call to the bus itself, which is answered after everything that was sent before it.
private final class RoundTrip: Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private let answer = Guarded(false)

    init(_ connection: Connection, _ member: String, _ argument: String? = nil) {
        let bus = "org.freedesktop.DBus"
        let call = try? Message.call(to: bus, path: "/org/freedesktop/DBus", interface: bus, member: member) {
            (body) throws(DBusError) in
            if let argument { try body.string(argument) }
        }
        guard let call else { return }
        connection.call(call, timeout: .seconds(20)) { [self] result in
            let isYes = try? result.get().read { (body) throws(DBusError) in try body.value() } == .bool(true)
            answer.withLock { $0 = isYes ?? false }
            isOver.signal()
        }
    }

    /// Waits for the answer, which is whether the bus said yes.
    func end() -> Bool {
        _ = isOver.wait(timeout: .now() + 120)
        return answer.withLock { $0 }
    }
}

/// How much has happened on a bus.
final class ActivityCounter: Sendable {
    private let number = Atomic<Int>(0)

    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    func note() { number.add(1, ordering: .sequentiallyConsistent) }
}
