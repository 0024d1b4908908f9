import BusTesting
import Testing

@testable import DBus

/// A dbus-daemon of the test's own, gone with the test.
final class PrivateBus: Sendable {
    private let daemon: Subprocess?
    let address: String
    // The optimiser may let a connection go after its last mention in a test, which would close it.
    private let connections = Guarded<[Connection]>([])

    /// Records an issue if dbus-daemon does not start; connecting fails then.
    init() {
        do {
            (daemon, address) = try Self.start("dbus-daemon")
        } catch {
            Issue.record(error)
            (daemon, address) = (nil, "unix:path=/nonexistent/bus")
        }
    }

    /// Starts a daemon, and returns it with the address that it prints.
    static func start(_ program: String) throws -> (Subprocess, String) {
        try MissingProgram.check(program)
        let daemon = try Subprocess([
            // The shell outlives neither its input nor the daemon.
            "sh", "-c", "\(program) --session --nofork --print-address=1 </dev/null & read end; kill $!; wait",
        ])
        let line = String(daemon.read { $0.contains("\n") }.prefix { $0 != "\n" })
        guard line.hasPrefix("unix:") else { throw NoAddress(line: line) }
        return (daemon, line)
    }

    /// The daemon printed something else first.
    private struct NoAddress: Error { let line: String }

    deinit {
        for connection in connections.withLock({ $0 }) { connection.close() }
        stop()
    }

    /// Kills the daemon.
    func stop() { daemon?.endInput() }

    /// A connection that lives as long as this.
    func connect() -> Connection {
        let connection = Connection.open(.address(address))
        connections.withLock { $0.append(connection) }
        return connection
    }

    /// A connection that the bus has greeted, and its name.
    func connected() async throws -> (Connection, String) {
        let connection = connect()
        try await connection.settle()
        return (connection, try #require(connection.uniqueName))
    }
}
