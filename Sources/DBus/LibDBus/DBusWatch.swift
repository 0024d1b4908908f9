internal import CDBus
import Glibc

/// libdbus's wish to read from its socket, or to write to it.
@safe
struct DBusWatch: Equatable {
    private let raw: OpaquePointer

    init(_ raw: OpaquePointer) { unsafe self.raw = raw }

    static func == (one: DBusWatch, other: DBusWatch) -> Bool { unsafe one.raw == other.raw }

    var isEnabled: Bool { unsafe dbus_watch_get_enabled(raw) != 0 }
    var descriptor: Int32 { unsafe dbus_watch_get_unix_fd(raw) }

    /// What it waits for, in poll's terms.
    var events: Int16 {
        let flags = unsafe dbus_watch_get_flags(raw)
        return (flags & DBUS_WATCH_READABLE.rawValue != 0 ? Int16(POLLIN) : 0)
            | (flags & DBUS_WATCH_WRITABLE.rawValue != 0 ? Int16(POLLOUT) : 0)
    }

    /// Lets libdbus do what it wished for, where that is possible now.
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
