import Glibc

/// A value that several threads change, one at a time.
///
/// This type replaces `Synchronization.Mutex`: if threads contend for a `Mutex`, the thread sanitizer reports races
/// that do not exist.
@safe
final class Guarded<Value>: @unchecked Sendable {
    // Guard: `value` is accessed only while `mutex` is locked.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: sending Value) {
        unsafe mutex.initialize(to: pthread_mutex_t())
        self.value = value
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value while the lock is held. `body` must not run callbacks.
    func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
