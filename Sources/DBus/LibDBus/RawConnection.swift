internal import CDBus
import Glibc

/// A connection of libdbus on its way from the thread that opened it to the one that owns it.
@safe
struct RawConnection: @unchecked Sendable {
    // Guard: one thread at a time has it; it is handed over through a context's inbox.
    let raw: OpaquePointer

    // libdbus aborts where it is used on two threads without this; repeating it does nothing.
    private static let threadsAreReady: Bool = dbus_threads_init_default() != 0

    /// Connects to a bus's socket, which may block; what is said there comes later. Private (Q4), so that nobody else in
    /// the process shares it, and it never ends the process (Q3).
    static func connect(to address: Connection.Address) -> Result<RawConnection, DBusError> {
        guard let text = address.text else {
            return .failure(
                DBusError(name: DBusError.Name.fileNotFound, message: "There is no session, so it has no bus."))
        }
        guard threadsAreReady, !text.utf8.contains(0) else {
            return .failure(DBusError(name: DBusError.Name.badAddress, message: "An address cannot bear a NUL."))
        }
        dbus_connection_set_change_sigpipe(0)
        var error = unsafe CDBus.DBusError()
        unsafe dbus_error_init(&error)
        guard let raw = unsafe dbus_connection_open_private(text, &error) else {
            defer { unsafe dbus_error_free(&error) }
            return .failure(
                DBusError(
                    name: unsafe error.name.map { unsafe String(cString: $0) } ?? DBusError.Name.noServer,
                    message: unsafe error.message.map { unsafe String(cString: $0) } ?? ""))
        }
        unsafe dbus_connection_set_exit_on_disconnect(raw, 0)
        return unsafe .success(RawConnection(raw: raw))
    }

    /// The number of its socket; nil if it is not connected.
    var socket: Int32? {
        var number: Int32 = -1
        return unsafe dbus_connection_get_socket(raw, &number) != 0 ? number : nil
    }

    /// Ends the connection and releases it.
    ///
    /// The socket is shut down first: a child process between fork and exec has a copy of it, and the bus would keep our names until
    /// that is closed too.
    func close() {
        if let socket { _ = shutdown(socket, Int32(SHUT_RDWR)) }
        unsafe dbus_connection_close(raw)
        unsafe dbus_connection_unref(raw)
    }
}
