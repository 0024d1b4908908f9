import Dispatch
import Glibc

/// Notices that the reader of a pipe has gone although nothing is being written.
enum ClosedPipeMonitor {
    /// Calls `gone` when nobody can read any more what is written to the descriptor. It is waited for on a
    /// thread of its own, since libdispatch cannot wait for an error alone; the thread sleeps until then.
    static func start(_ descriptor: Int32, gone: @escaping @Sendable () -> Void) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFIFO || kind == S_IFSOCK else { return }
        DispatchQueue(label: "ble-cli.reader").async {
            // No events are asked for; the kernel reports errors and hang-ups all the same.
            var wait = pollfd(fd: descriptor, events: 0, revents: 0)
            while unsafe poll(&wait, 1, -1) < 0, errno == EINTR {}
            if wait.revents & Int16(POLLERR | POLLHUP) != 0 { gone() }
        }
    }
}
