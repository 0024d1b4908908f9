import Glibc
import Rx

/// A dbus-daemon that ends with this process, even if the process is killed.
///
/// This process starts a shell, and the shell starts the daemon. The shell reads from a socket of this process, and
/// ends the daemon when the socket is closed. Shell and daemon have a separate process group, so Ctrl-C reaches only
/// this process, which can release its bus names before the bus ends.
final class PrivateBus: Sendable {
    /// The address of the bus.
    let address: String
    private let shell: pid_t
    private let socket: Int32
    private let hasEnded = Guarded(false)

    private init(address: String, shell: pid_t, socket: Int32) {
        self.address = address
        self.shell = shell
        self.socket = socket
    }

    /// How long dbus-daemon may take to print its address, in milliseconds.
    private static let startTimeout: Int32 = 10_000

    private static let script = """
        command -v dbus-daemon > /dev/null || { echo missing; exit; }
        dbus-daemon --session --nofork --nopidfile --print-address=1 < /dev/null 2>&1 &
        read end
        kill $!
        wait
        """

    static func start() throws(CLIError) -> PrivateBus {
        var pair: (Int32, Int32) = (-1, -1)
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let failure = unsafe withUnsafeMutablePointer(to: &pair) {
            unsafe $0.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe socketpair(AF_UNIX, kind, 0, $0) }
        }
        guard failure == 0 else { throw systemError(errno) }
        let shell = try spawn(with: pair.1)
        close(pair.1)
        let reply = firstLine(of: pair.0)
        guard reply.hasPrefix("unix:") else {
            close(pair.0)
            guard reply != "missing" else {
                throw CLIError(
                    .unavailable,
                    "There is no dbus-daemon to start a bus. Install Debian's package dbus-daemon, or give --bus.")
            }
            let why = reply.isEmpty ? "it prints no address" : reply
            throw CLIError(.unavailable, "dbus-daemon starts no bus: \(why). See man dbus-daemon, or give --bus.")
        }
        // Shuts the socket down for reading: later output is not read, and a full buffer would block the daemon.
        shutdown(pair.0, Int32(SHUT_RD))
        return PrivateBus(address: reply, shell: shell, socket: pair.0)
    }

    /// Ends the daemon, and waits until it has ended. May be called more than once.
    func end() {
        hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            hasEnded = true
            close(socket)
            var status: Int32 = 0
            while unsafe waitpid(shell, &status, 0) < 0, errno == EINTR {}
        }
    }

    private static func spawn(with socket: Int32) throws(CLIError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // Unblocks all signals in the daemon, which would inherit our blocked signals. SIGPIPE stays ignored.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
        let command = ["/bin/sh", "-c", script]
        var words: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) } + [nil]
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &words, environ)
        unsafe words.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        guard failure == 0 else { throw systemError(failure) }
        return process
    }

    /// Returns the first line of output; at the time limit, the part of the line that was received.
    private static func firstLine(of socket: Int32) -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while !text.contains(UInt8(ascii: "\n")), unsafe poll(&wait, 1, startTimeout) > 0 {
            let count = unsafe read(socket, &chunk, chunk.count)
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func systemError(_ code: Int32) -> CLIError {
        CLIError(.failed, "Starting a bus failed: \(unsafe String(cString: strerror(code))). Give --bus.")
    }
}
