internal import CDBus
import Glibc

extension Connection {
    /// Which bus to connect to.
    public enum Address: Hashable, Sendable {
        /// The bus of the whole machine, on which bluetoothd is. `DBUS_SYSTEM_BUS_ADDRESS` names another.
        case system
        /// The bus of the user's session: `DBUS_SESSION_BUS_ADDRESS`, else `$XDG_RUNTIME_DIR/bus`.
        case session
        /// An address as the D-Bus specification writes it ("Server Addresses"), such as `unix:path=/run/x`.
        case address(String)
    }
}

extension Connection.Address {
    /// The address as libdbus takes it; nil where there is no session.
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

    /// A variable of the environment; none where the process runs with more rights than its caller has.
    private static func variable(_ name: String) -> String? {
        guard getuid() == geteuid(), getgid() == getegid(), let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }
}
