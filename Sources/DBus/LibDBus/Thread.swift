import Glibc

/// Starts a detached thread. `name` has at most 15 bytes.
///
/// The thread blocks all signals, so that other threads of the process handle them.
func startThread(named name: StaticString, _ body: @escaping @Sendable () -> Void) {
    final class Start: Sendable {
        let name: StaticString
        let body: @Sendable () -> Void
        init(_ name: StaticString, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    // Blocks signals before the new thread starts, because the thread inherits the mask. If the thread itself set the
    // mask, a signal could arrive before.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let start = unsafe Unmanaged.passRetained(Start(name, body)).toOpaque()
    let failure = unsafe pthread_create(
        &thread, nil,
        { pointer in
            guard let pointer = unsafe pointer else { return nil }
            let start = unsafe Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue()
            nameThread(start.name)
            start.body()
            return nil
        }, start)
    guard failure == 0 else { fatalError("Cannot start a thread: error \(failure).") }
    pthread_detach(thread)
}

// Writes to /proc, because Glibc's `pthread_setname_np` is a GNU extension that Swift does not import.
/// Names the calling thread for ps, top and debuggers.
private func nameThread(_ name: StaticString) {
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = unsafe write(file, name.utf8Start, name.utf8CodeUnitCount)
    close(file)
}
