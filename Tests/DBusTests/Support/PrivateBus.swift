import Testing

@testable import DBus

/// A dbus-daemon of the test's own, gone with the test.
final class PrivateBus: Sendable {
    private let daemon: Subprocess
    let address: String
    // The optimiser may let a connection go after its last mention in a test, which would close it.
    private let connections = Guarded<[Connection]>([])

    init() {
        daemon = Subprocess([
            // The shell outlives neither its input nor the daemon.
            "sh", "-c", "dbus-daemon --session --nofork --print-address=1 </dev/null & read end; kill $!; wait",
        ])
        let text = daemon.read { $0.contains("\n") }
        address = String(text.prefix { $0 != "\n" })
        precondition(address.hasPrefix("unix:"), "dbus-daemon said: \(text)")
    }

    deinit {
        for connection in connections.withLock({ $0 }) { connection.close() }
        stop()
    }

    /// Kills the daemon.
    func stop() { daemon.endInput() }

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
