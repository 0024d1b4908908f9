internal import CDBus
import Glibc

/// The receiver of the messages of a ``RawConnection``, called in the event loop.
protocol RawConnectionReceiver: AnyObject {
    /// Receives a message. Messages are passed in the order of their arrival.
    func receive(_ message: Message)
    /// Called once, after the last message, when the bus has closed the socket or has sent invalid bytes.
    func hangUp()
}

/// libdbus's connection: its socket and watches, and the messages that it writes.
///
/// libdbus connects, authenticates and writes. A ``MessageStream`` reads.
@safe
final class RawConnection: @unchecked Sendable {
    // Guard: only the event loop uses an instance. The static `connect(to:)` runs on other threads.
    private var raw: OpaquePointer?
    private var watches: [DBusWatch] = []
    private var receiver: (any RawConnectionReceiver)?
    /// Reads messages; nil until libdbus is authenticated, because libdbus reads the replies of the bus until then.
    private var stream: MessageStream?
    private var hasReportedEnd = false
    /// The descriptor and the events that libdbus waits for now.
    private(set) var interest = Poller.Interest()

    /// An open connection of libdbus that a thread passes to the event loop.
    @safe
    struct Handle: @unchecked Sendable {
        // Guard: one thread at a time uses the handle; the event loop's inbox passes it on.
        fileprivate let raw: OpaquePointer

        /// The socket's descriptor; nil if the connection is not connected.
        var socket: Int32? {
            var number: Int32 = -1
            return unsafe dbus_connection_get_socket(raw, &number) != 0 ? number : nil
        }

        /// Closes and releases libdbus's connection.
        ///
        /// The socket is shut down first: a child process between fork and exec may have a copy of the socket, and
        /// the bus would keep our names until that copy is also closed.
        func close() {
            if let socket { _ = shutdown(socket, Int32(SHUT_RDWR)) }
            unsafe dbus_connection_close(raw)
            unsafe dbus_connection_unref(raw)
        }
    }

    // Makes libdbus thread-safe. Without this call, libdbus aborts when two threads use it.
    private static let threadsAreReady: Bool = dbus_threads_init_default() != 0

    // Opens a private connection (Q4), which no other code of the process shares, and disables exit on disconnect (Q3).
    /// Connects to the socket of a bus. May block; sends nothing yet.
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

    /// Takes over a connection and starts to receive. Returns false if no memory is left.
    ///
    /// ``close()`` is required even after a failure.
    func adopt(_ handle: Handle, receiver: any RawConnectionReceiver) -> Bool {
        let connection = unsafe handle.raw
        unsafe raw = connection
        self.receiver = receiver
        hasReportedEnd = false
        return unsafe addWatches(to: connection)
    }

    /// Closes and releases libdbus's connection, if there is one.
    func close() {
        guard let raw = unsafe raw else { return }
        unsafe self.raw = nil
        receiver = nil
        stream = nil
        unsafe Handle(raw: raw).close()
    }

    // MARK: State

    /// Whether libdbus's connection exists, even if its socket is closed.
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
    var hasMessages: Bool { stream?.hasMessage == true || mustReportEnd }

    /// Whether the last reading has probably not read all messages that have arrived.
    var mayHaveMore: Bool { stream?.mayHaveMore == true && !watches.isEmpty }

    // libdbus removes its watches when it closes the socket.
    private var mustReportEnd: Bool { isAdopted && watches.isEmpty && !hasReportedEnd }

    // MARK: Reading and writing

    /// Drops the messages that arrive from now on. The socket is still read, so that its events end.
    func dropMessages() { stream?.dropsMessages = true }

    /// Delivers one message to the receiver, or the end of the connection. Returns false if nothing waits.
    func dispatch() -> Bool {
        guard let receiver else { return false }
        do throws(DBusError) {
            if try stream?.deliver(to: receiver) == true { return true }
        } catch {
            stream = nil
            if let raw = unsafe raw { unsafe dbus_connection_close(raw) }
        }
        guard mustReportEnd else { return false }
        hasReportedEnd = true
        receiver.hangUp()
        return true
    }

    /// Queues a message for writing. Returns its serial number, or nil if libdbus refuses it.
    func send(_ message: Message) -> UInt32? {
        guard let raw = unsafe raw, case .built(let outgoing) = message.content else { return nil }
        var serial: dbus_uint32_t = 0
        guard unsafe dbus_connection_send(raw, outgoing, &serial) != 0 else { return nil }
        return serial
    }

    /// Handles events of the socket.
    func handle(_ events: Int16) {
        // Nothing is lost when the reader changes: the bus sends nothing between authentication and the reply to
        // `Hello`, and libdbus reads nothing in the turn in which it completes authentication.
        if stream == nil, isAuthenticated { stream = MessageStream() }
        guard let stream else { return callWatches(events) }
        if events & ~Int16(POLLOUT) != 0, !watches.isEmpty, stream.read(from: interest.descriptor) == .hasEnded {
            // Keeps the stream: its messages arrived before the end.
            if let raw = unsafe raw { unsafe dbus_connection_close(raw) }
        }
        if events & Int16(POLLOUT) != 0 { callWatches(Int16(POLLOUT)) }
    }

    /// Makes libdbus handle events. A watch may disappear while another watch is handled.
    private func callWatches(_ events: Int16) {
        for watch in watches where watches.contains(watch) && watch.isEnabled { watch.handle(events) }
    }

    // MARK: Callbacks of libdbus

    // libdbus retains this object until libdbus frees its connection.

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

    /// The events that the watch waits for, as flags of poll(2).
    var events: Int16 {
        let flags = unsafe dbus_watch_get_flags(raw)
        return (flags & DBUS_WATCH_READABLE.rawValue != 0 ? Int16(POLLIN) : 0)
            | (flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? Int16(POLLOUT) : 0)
    }

    /// Makes libdbus read or write, depending on which events of poll(2) have occurred.
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
