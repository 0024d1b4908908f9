import Glibc

/// Waiting: for the bus's socket, for a time, and for other threads, which end the wait.
///
/// Two descriptors are all there ever is to wait for, so this is poll(2): it needs no registration that could differ from
/// what libdbus wants. Nothing outside this file knows.
final class Poller {
    private let inner: OwnedDescriptor
    private let outer: OwnedDescriptor

    /// What to wait for; a descriptor without events is not looked at, for a closed socket would wake us for ever.
    struct Source {
        var descriptor: Int32 = -1
        var events: Int16 = 0
    }

    /// Nil where the process has no descriptor left.
    init?() {
        var pair: (Int32, Int32) = (-1, -1)
        // Close-on-exec from the start: another thread may fork at any moment.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let failure = unsafe withUnsafeMutablePointer(to: &pair) {
            unsafe $0.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe socketpair(AF_UNIX, kind, 0, $0) }
        }
        guard failure == 0 else { return nil }
        inner = OwnedDescriptor(adopting: pair.0)
        outer = OwnedDescriptor(adopting: pair.1)
    }

    /// The number by which ``wake(_:)`` ends the wait.
    var wakeNumber: Int32 { outer.number }

    /// Ends the wait, from any thread.
    static func wake(_ number: Int32) {
        var byte: UInt8 = 1
        // Where the buffer is full, the waiter is awake long since. The other end outlives this one, so no SIGPIPE.
        _ = unsafe write(number, &byte, 1)
    }

    /// Waits for at most so many milliseconds, for ever where that is negative; returns what the source is ready for.
    func wait(for source: Source, milliseconds: Int32) -> Int16 {
        var items = (
            pollfd(fd: inner.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: source.events == 0 ? -1 : source.descriptor, events: source.events, revents: 0)
        )
        let count = unsafe withUnsafeMutablePointer(to: &items) {
            unsafe $0.withMemoryRebound(to: pollfd.self, capacity: 2) { unsafe poll($0, 2, milliseconds) }
        }
        guard count > 0 else { return 0 }
        if items.0.revents != 0 {
            var bytes: UInt64 = 0
            _ = unsafe read(inner.number, &bytes, 8)
        }
        return items.1.revents
    }
}
