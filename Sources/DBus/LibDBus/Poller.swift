internal import CDBus
import Glibc

/// Waits until a descriptor is ready, a time-out passes, or another thread wakes it.
///
/// Uses epoll(7), and eventfd(2) for wake-ups.
final class Poller {
    private let epoll: OwnedDescriptor
    private let event: OwnedDescriptor
    private var registered = Interest()
    private var ready: [Int32] = []

    /// A descriptor and the events to wait for.
    ///
    /// Without events, the descriptor is not registered: epoll would report a closed socket again and again.
    struct Interest: Equatable {
        var descriptor: Int32 = -1
        /// The events as flags of poll(2), which have the same values in epoll(7).
        var events: Int16 = 0

        var isReadingOnly: Bool { events == Int16(POLLIN) }
    }

    /// Makes a poller; nil if the process has no descriptor left.
    init?() {
        // Sets close-on-exec at creation, because another thread may fork at any moment.
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        let event = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        let isDone = epoll >= 0 && event >= 0 && Self.control(epoll, EPOLL_CTL_ADD, event, Int16(POLLIN)) == 0
        // Also adopts the -1 of a failed call: closing an invalid descriptor does no harm.
        self.epoll = OwnedDescriptor(adopting: epoll)
        self.event = OwnedDescriptor(adopting: event)
        if !isDone { return nil }
    }

    /// The descriptor for ``wake(_:)``.
    var wakeNumber: Int32 { event.number }

    /// Wakes the waiting thread, from any thread.
    static func wake(_ number: Int32) {
        var one: UInt64 = 1
        _ = unsafe write(number, &one, 8)
    }

    /// Waits until a descriptor is ready; without a limit if `milliseconds` is negative.
    ///
    /// Returns the events of the interest's descriptor; ``takeReady()`` returns the other descriptors.
    func wait(for interest: Interest, milliseconds: Int32) -> Int16 {
        if interest != registered { register(interest) }
        var ready = unsafe (epoll_event(), epoll_event(), epoll_event(), epoll_event())
        // A debugger or a suspended machine can interrupt `epoll_wait` although signals are blocked. A wait with a
        // limit then returns, so that the caller can compute the remaining time; a wait without a limit is repeated.
        var count: Int32
        repeat {
            count = unsafe withUnsafeMutablePointer(to: &ready) {
                unsafe $0.withMemoryRebound(to: epoll_event.self, capacity: 4) {
                    unsafe epoll_wait(epoll.number, $0, 4, milliseconds)
                }
            }
        } while count < 0 && errno == EINTR && milliseconds < 0
        var events: Int16 = 0
        if count > 0 { unsafe collect(ready.0, &events) }
        if count > 1 { unsafe collect(ready.1, &events) }
        if count > 2 { unsafe collect(ready.2, &events) }
        if count > 3 { unsafe collect(ready.3, &events) }
        return events
    }

    /// Waits until the time-out passes or another thread wakes the poller. Ignores all other descriptors.
    ///
    /// A wait of less than two milliseconds does not end early: poll(2) cannot wait for parts of a millisecond.
    func pause(nanoseconds: UInt64) {
        let milliseconds = nanoseconds / 1_000_000
        if milliseconds >= 2 {
            var request = pollfd(fd: event.number, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&request, 1, Int32(clamping: milliseconds))
        } else {
            var limit = timespec(tv_sec: 0, tv_nsec: Int(nanoseconds))
            _ = unsafe nanosleep(&limit, nil)
        }
    }

    private func collect(_ ready: epoll_event, _ events: inout Int16) {
        if unsafe ready.data.fd == event.number {
            var count: UInt64 = 0
            _ = unsafe read(event.number, &count, 8)
        } else if unsafe ready.data.fd == registered.descriptor, registered.events != 0 {
            events |= unsafe Int16(truncatingIfNeeded: ready.events)
        } else {
            unsafe self.ready.append(ready.data.fd)
        }
    }

    /// Returns the ready descriptors that ``add(_:_:)`` has added, and clears their list.
    ///
    /// The kernel reports further ready descriptors at the next wait.
    func takeReady() -> [Int32] {
        let numbers = ready
        if !numbers.isEmpty { ready = [] }
        return numbers
    }

    /// Adds a descriptor that each wait also watches. It must be removed before it is closed.
    func add(_ number: Int32, _ events: Int16) {
        if Self.control(epoll.number, EPOLL_CTL_ADD, number, events) != 0 {
            _ = Self.control(epoll.number, EPOLL_CTL_MOD, number, events)
        }
    }

    func remove(_ number: Int32) { _ = Self.control(epoll.number, EPOLL_CTL_DEL, number, 0) }

    // libdbus closes its socket itself, which also removes it from epoll. So an error of DEL is ignored. If MOD fails,
    // ADD follows, because a new socket may have the same number.
    /// Passes a changed interest to the kernel.
    private func register(_ interest: Interest) {
        let (old, new) = (registered, interest)
        registered = interest
        if old.events != 0, old.descriptor != new.descriptor || new.events == 0 {
            _ = Self.control(epoll.number, EPOLL_CTL_DEL, old.descriptor, 0)
        }
        guard new.events != 0 else { return }
        if Self.control(epoll.number, EPOLL_CTL_MOD, new.descriptor, new.events) != 0 {
            _ = Self.control(epoll.number, EPOLL_CTL_ADD, new.descriptor, new.events)
        }
    }

    private static func control(_ epoll: Int32, _ operation: Int32, _ descriptor: Int32, _ events: Int16) -> Int32 {
        var event = unsafe epoll_event(
            events: UInt32(UInt16(bitPattern: events)), data: epoll_data_t(fd: descriptor))
        return unsafe epoll_ctl(epoll, operation, descriptor, &event)
    }
}
