import Glibc

/// A value that several threads change, one at a time.
///
/// Not `Synchronization.Mutex`: the thread sanitizer does not see a contended one and reports races.
@safe
final class Guarded<Value>: @unchecked Sendable {
    // Guard: `value` is touched under `mutex` only.
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

    /// Lends the value. Nothing that may call out belongs into `body`.
    func withLock<Result>(_ body: (inout Value) -> sending Result) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }
}
