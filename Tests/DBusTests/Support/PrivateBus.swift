import BusTesting
import Testing

@testable import DBus

/// A dbus-daemon for one test. Releasing it kills the daemon.
final class PrivateBus: Sendable {
    private let daemon: Subprocess?
    let address: String
    // Retains the connections: the optimiser may release a connection after its last use, which would close it.
    private let connections = Guarded<[Connection]>([])

    /// Starts a dbus-daemon. If that fails, it records an issue, and connecting fails.
    init() {
        do {
            (daemon, address) = try Self.start("dbus-daemon")
        } catch {
            Issue.record(error)
            (daemon, address) = (nil, "unix:path=/nonexistent/bus")
        }
    }

    /// Starts a dbus-daemon program. Returns the process, and the address that it prints.
    static func start(_ program: String) throws -> (Subprocess, String) {
        try MissingProgram.check(program)
        let daemon = try Subprocess([
            // The shell kills the daemon when the shell's input ends, and exits after the daemon.
            "sh", "-c", "\(program) --session --nofork --print-address=1 </dev/null & read end; kill $!; wait",
        ])
        let line = String(daemon.read { $0.contains("\n") }.prefix { $0 != "\n" })
        guard line.hasPrefix("unix:") else { throw NoAddress(line: line) }
        return (daemon, line)
    }

    /// The error that the first line of dbus-daemon is not an address.
    private struct NoAddress: Error { let line: String }

    deinit {
        for connection in connections.withLock({ $0 }) { connection.close() }
        stop()
    }

    /// Kills the dbus-daemon by closing the input of its shell.
    func stop() { daemon?.endInput() }

    /// Opens a connection, and retains it as long as this object exists.
    func connect() -> Connection {
        let connection = Connection.open(.address(address))
        connections.withLock { $0.append(connection) }
        return connection
    }

    /// Opens a connection, and waits until it is open. Returns the connection and its unique name.
    func connected() async throws -> (Connection, String) {
        let connection = connect()
        try await connection.settle()
        return (connection, try #require(connection.uniqueName))
    }
}
