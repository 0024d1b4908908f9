internal import CDBus
import Glibc

// Q11: a bus limits the connections of a user. Q9: a system bus allows 128 calls in flight per connection.
// Q10: a bus allows 512 match rules per connection. Q16: a bus hangs up instead of refusing.

/// A connection to a real message bus through libdbus.
///
/// Each connection has its own thread, `rxbt-dbus`, which is the bus's context. Only this thread uses libdbus's
/// connection. The thread sleeps while it has no work. A process needs only one connection.
///
/// Releasing the last reference closes the connection. A handler that holds the connection strongly keeps it open until
/// the handler is cancelled or ``Bus/close()`` is called. Work passed to ``Bus/perform(_:)`` and
/// ``Bus/schedule(after:_:)`` still runs after the connection has closed.
///
/// In addition to what ``Bus`` says:
/// - ``Bus/schedule(after:_:)`` uses real, monotonic time; work may be late by a millisecond.
/// - ``Bus/call(_:timeout:reply:)`` has at most 64 calls in flight. More calls wait, in order, and their deadlines
///   begin when they are sent. ``Bus/send(_:)`` does not wait.
/// - ``Bus/subscribe(_:_:)`` traps on an invalid rule (``MatchRule/text()``). A bus silently refuses more than 512
///   different rules of one connection.
/// - ``Bus/export(at:includingChildren:_:)``: the connection itself answers calls of the interface
///   `org.freedesktop.DBus.Peer`, for example pings.
/// - ``Bus/requestName(_:_:)`` does not queue for a name. If another connection owns it, the error is `AddressInUse`
///   and contains the owner's unique name.
/// - ``Bus/close()`` gives libdbus one second to write the messages that were sent. Waiting calls are not sent.
public final class Connection: Bus, ForwardingBus, TurnBasedBus {
    private let core: ConnectionCore

    private init(_ core: ConnectionCore) { self.core = core }

    deinit { core.close() }

    package var forwardingTarget: any Bus { core }

    /// Connects to a bus, without blocking.
    ///
    /// Messages and subscriptions that are made while the connection opens reach the bus after it has answered `Hello`.
    /// If opening fails, all calls fail, and ``Bus/whenDisconnected(_:)`` reports the cause by libdbus's error name:
    /// `FileNotFound` or `NoServer` (no bus there), `AccessDenied`, `AuthFailed` (the bus closed the connection twice
    /// instead of authenticating this process), `BadAddress`, `LimitsExceeded`, or `NoReply` after `timeout` without an
    /// answer.
    ///
    /// - Parameters:
    ///   - address: The bus to connect to.
    ///   - timeout: How long opening may take.
    ///   - interval: The time between two readings while signals arrive quickly and no call waits for its reply;
    ///     at most 1 s.
    ///     Reading several signals at once needs fewer wake-ups; a signal is at most this late. Default: zero, each
    ///     signal is read at once.
    public static func open(
        _ address: Address = .system, timeout: Duration = .seconds(5), readingEvery interval: Duration = .zero
    ) -> Connection {
        let core = ConnectionCore(readingEvery: interval)
        core.open(address, timeout: timeout)
        return Connection(core)
    }

    /// Our unique name on the bus, for example `:1.42`; nil until the bus has answered `Hello`.
    ///
    /// The name is set in every callback that a message of the bus causes, and nil again after closing.
    public var uniqueName: String? { core.uniqueName }

    package func performAtEndOfTurn(_ work: @escaping @Sendable () -> Void) -> Bool { core.performAtEndOfTurn(work) }

    /// The bus to connect to.
    public enum Address: Hashable, Sendable {
        /// The system bus, which bluetoothd uses. `DBUS_SYSTEM_BUS_ADDRESS` overrides its address.
        case system
        /// The bus of the user's session: `DBUS_SESSION_BUS_ADDRESS`, else `$XDG_RUNTIME_DIR/bus`.
        case session
        /// An address such as `unix:path=/run/x`. Source: D-Bus specification, "Server Addresses".
        case address(String)
    }
}

extension Connection.Address {
    /// The address in libdbus's form; nil if there is no session.
    var text: String? {
        switch self {
        case .system: Self.variable("DBUS_SYSTEM_BUS_ADDRESS") ?? "unix:path=/var/run/dbus/system_bus_socket"
        case .session: Self.variable("DBUS_SESSION_BUS_ADDRESS") ?? Self.runtimeBus
        case .address(let text): text
        }
    }

    private static var runtimeBus: String? {
        guard let directory = variable("XDG_RUNTIME_DIR"),
            let escaped = unsafe dbus_address_escape_value("\(directory)/bus")
        else { return nil }
        defer { unsafe dbus_free(escaped) }
        return unsafe "unix:path=\(String(cString: escaped))"
    }

    /// Returns an environment variable; nil if the process has more privileges than its caller.
    private static func variable(_ name: String) -> String? {
        guard getuid() == geteuid(), getgid() == getegid(), let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
