internal import CDBus
import Glibc

/// What receives the messages of a ``RawConnection``, in the event loop.
protocol RawConnectionReceiver: AnyObject {
    /// Receives one of libdbus's messages, in the order of the wire.
    func receive(_ raw: OpaquePointer)
}

/// libdbus's connection: its socket and watches, and the messages that it reads and writes.
@safe
final class RawConnection: @unchecked Sendable {
    // Guard: only the event loop uses it, except the static method.
    private var raw: OpaquePointer?
    private var watches: [DBusWatch] = []
    private var receiver: (any RawConnectionReceiver)?
    /// The descriptor that libdbus waits for now, and for which events.
    private(set) var interest = Poller.Interest()

    /// A connection that a thread hands over to the event loop.
    @safe
    struct Handle: @unchecked Sendable {
        // Guard: one thread at a time has it; the event loop's inbox hands it over.
        fileprivate let raw: OpaquePointer

        /// The number of the socket; nil if it is not connected.
        var socket: Int32? {
            var number: Int32 = -1
            return unsafe dbus_connection_get_socket(raw, &number) != 0 ? number : nil
        }

        /// Closes a connection that was not adopted.
        ///
        /// The socket is shut down first. A child process between fork and exec has a copy of it, and until that is
        /// closed too the bus would keep our names.
        func close() {
            if let socket { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            unsafe dbus_connection_close(raw)
            unsafe dbus_connection_unref(raw)
        }
    }

    // libdbus aborts without this when two threads use it. Repeating it does nothing.
    private static let threadsAreReady: Bool = dbus_threads_init_default() != 0

    // Private (Q4), so that no other code of the process shares it; and it never ends the process (Q3).
    /// Connects to the socket of a bus. May block; nothing is sent yet.
    static func connect(to address: Connection.Address) -> Result<Handle, DBusError> {
        guard let text = address.text else {
            return .failure(
                DBusError(name: DBusError.Name.fileNotFound, message: "There is no session, so it has no bus."))
        }
        guard threadsAreReady, !text.utf8.contains(0) else {
            return .failure(DBusError(name: DBusError.Name.badAddress, message: "A bus address cannot contain a NUL."))
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
        return unsafe .success(Handle(raw: raw))
    }

    /// Takes over a connection and starts to receive. False if no memory is left; ``close()`` is still required.
    func adopt(_ handle: Handle, receiver: any RawConnectionReceiver) -> Bool {
        let connection = unsafe handle.raw
        unsafe raw = connection
        self.receiver = receiver
        // Beyond these limits libdbus calls the watch functions on whichever thread releases a message.
        // Messages do not accumulate without the limits: all are delivered before more are read.
        unsafe dbus_connection_set_max_received_size(connection, Int.max)
        unsafe dbus_connection_set_max_received_unix_fds(connection, Int.max)
        return unsafe addFilter(to: connection) && addWatches(to: connection)
    }

    /// Closes and releases libdbus's connection, if there is one.
    func close() {
        guard let raw = unsafe raw else { return }
        unsafe self.raw = nil
        receiver = nil
        unsafe Handle(raw: raw).close()
    }

    // MARK: State

    /// Whether libdbus's connection exists, also if its socket is closed.
    var isAdopted: Bool { unsafe raw != nil }

    /// Whether the bus has accepted our credentials.
    var isAuthenticated: Bool {
        guard let raw = unsafe raw else { return false }
        return unsafe dbus_connection_get_is_authenticated(raw) != 0
    }

    /// Whether messages wait to be written to a socket that is still open.
    var mustWrite: Bool {
        guard let raw = unsafe raw, unsafe dbus_connection_get_is_connected(raw) != 0 else { return false }
        return unsafe dbus_connection_has_messages_to_send(raw) != 0
    }

    /// Whether messages were read and not yet delivered.
    var hasMessages: Bool {
        guard let raw = unsafe raw else { return false }
        return unsafe dbus_connection_get_dispatch_status(raw) == DBUS_DISPATCH_DATA_REMAINS
    }

    // MARK: Reading and writing

    /// Delivers one message to the receiver. Returns whether more messages wait.
    func dispatch() -> Bool {
        guard let raw = unsafe raw else { return false }
        return unsafe dbus_connection_dispatch(raw) == DBUS_DISPATCH_DATA_REMAINS
    }

    /// Queues a message for writing. Returns its serial number, or nil if libdbus refuses it.
    func send(_ message: Message) -> UInt32? {
        guard let raw = unsafe raw else { return nil }
        var serial: dbus_uint32_t = 0
        guard unsafe dbus_connection_send(raw, message.raw, &serial) != 0 else { return nil }
        return serial
    }

    /// Handles events of the socket. A watch may disappear while another one is handled.
    func handle(_ events: Int16) {
        for watch in watches where watches.contains(watch) && watch.isEnabled { watch.handle(events) }
    }

    // MARK: Callbacks of libdbus

    // libdbus retains this object once per set of callbacks, until it frees its connection.

    private func addFilter(to connection: OpaquePointer) -> Bool {
        let data = unsafe retained()
        let isDone =
            unsafe dbus_connection_add_filter(
                connection,
                { _, raw, data in
                    guard let raw = unsafe raw, let receiver = unsafe RawConnection.from(data)?.receiver else {
                        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
                    }
                    unsafe receiver.receive(raw)
                    return DBUS_HANDLER_RESULT_HANDLED
                },
                data, RawConnection.release) != 0
        if !isDone { unsafe RawConnection.release(data) }
        return isDone
    }

    private func addWatches(to connection: OpaquePointer) -> Bool {
        let data = unsafe retained()
        let isDone =
            unsafe dbus_connection_set_watch_functions(
                connection,
                { watch, data in
                    guard let watch = unsafe watch, let connection = unsafe RawConnection.from(data) else { return 0 }
                    unsafe connection.watches.append(DBusWatch(watch))
                    connection.updateSource()
                    return 1
                },
                { watch, data in
                    guard let watch = unsafe watch, let connection = unsafe RawConnection.from(data) else { return }
                    let removed = unsafe DBusWatch(watch)
                    connection.watches.removeAll { $0 == removed }
                    connection.updateSource()
                },
                { _, data in unsafe RawConnection.from(data)?.updateSource() },
                data, RawConnection.release) != 0
        if !isDone { unsafe RawConnection.release(data) }
        return isDone
    }

    /// Combines the watches, which share one socket, into one interest.
    private func updateSource() {
        interest = Poller.Interest()
        for watch in watches where watch.isEnabled {
            interest.descriptor = watch.descriptor
            interest.events |= watch.events
        }
    }

    private func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

    private static func from(_ data: UnsafeMutableRawPointer?) -> RawConnection? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<RawConnection>.fromOpaque(data).takeUnretainedValue()
    }

    private static let release: DBusFreeFunction = { data in
        if let data = unsafe data { unsafe Unmanaged<RawConnection>.fromOpaque(data).release() }
    }
}

/// A `DBusWatch`: libdbus's request to be called when its socket can be read or written.
@safe
private struct DBusWatch: Equatable {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }

    static func == (one: DBusWatch, other: DBusWatch) -> Bool { unsafe one.raw == other.raw }

    var isEnabled: Bool { unsafe dbus_watch_get_enabled(raw) != 0 }
    var descriptor: Int32 { unsafe dbus_watch_get_unix_fd(raw) }

    /// The events that it waits for, in the terms of poll(2).
    var events: Int16 {
        let flags = unsafe dbus_watch_get_flags(raw)
        return (flags & DBUS_WATCH_READABLE.rawValue != 0 ? Int16(POLLIN) : 0)
            | (flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? Int16(POLLOUT) : 0)
    }

    /// Lets libdbus read or write, as far as the events allow.
    func handle(_ events: Int16) {
        let mine = events & self.events
        var happened: UInt32 = 0
        if mine & Int16(POLLIN) != 0 { happened |= DBUS_WATCH_READABLE.rawValue }
        if mine & Int16(POLLOUT) != 0 { happened |= DBUS_WATCH_WRITABLE.rawValue }
        if events & Int16(POLLERR | POLLNVAL) != 0 { happened |= DBUS_WATCH_ERROR.rawValue }
        if events & Int16(POLLHUP) != 0 { happened |= DBUS_WATCH_HANGUP.rawValue }
        if happened != 0 { _ = unsafe dbus_watch_handle(raw, happened) }
    }
}
