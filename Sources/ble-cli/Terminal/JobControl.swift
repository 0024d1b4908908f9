import Glibc

/// Stops this process as Ctrl-Z does in a program that does not read single keys.
enum JobControl {
    /// How long to wait for the stop. A group without a shell that could continue it is not stopped.
    private static let limit = timespec(tv_sec: 1, tv_nsec: 0)

    /// Stops the foreground process group, and returns when it continues. The terminal must have its normal mode.
    ///
    /// The whole group is stopped, as by the terminal: if a parent such as `ble-cli simulate` continued, the shell
    /// would not notice the stop. In a process with several threads, the stop may follow after kill(2) has returned, so
    /// the function waits for the signal that continues the process. ``Signals/block()`` has blocked it.
    static func suspend() {
        var continuation = sigset_t()
        unsafe sigemptyset(&continuation)
        unsafe sigaddset(&continuation, SIGCONT)
        // The stop discards an earlier SIGCONT that is still pending. Source: signal(7).
        kill(0, SIGTSTP)
        var limit = limit
        while true {
            let signal = unsafe sigtimedwait(&continuation, nil, &limit)
            guard signal < 0, errno == EINTR else { return }
        }
    }
}
