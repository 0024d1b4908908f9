import Glibc
import Rx

/// A dbus-daemon that lives as long as this process, however that ends.
///
/// A shell stands between: its input is a socket of ours that no other program inherits, and when that ends, because we
/// close it or are no more, it ends the daemon. The two have a process group of their own, so that Ctrl-C reaches
/// us alone and what we serve is taken back before the bus goes.
final class PrivateBus: Sendable {
    /// Where the daemon listens.
    let address: String
    private let shell: pid_t
    private let socket: Int32
    private let hasEnded = Guarded(false)

    private init(address: String, shell: pid_t, socket: Int32) {
        self.address = address
        self.shell = shell
        self.socket = socket
    }

    /// How long the daemon may take to say its address.
    private static let patience: Int32 = 10_000

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
        guard failure == 0 else { throw impossible(errno) }
        let shell = try spawn(with: pair.1)
        close(pair.1)
        let said = firstLine(of: pair.0)
        guard said.hasPrefix("unix:") else {
            close(pair.0)
            guard said != "missing" else {
                throw CLIError(
                    .unavailable,
                    "There is no dbus-daemon to make a bus with. Install Debian's package dbus-daemon, or give --bus.")
            }
            let why = said.isEmpty ? "it says no address" : said
            throw CLIError(.unavailable, "dbus-daemon makes no bus: \(why). See man dbus-daemon, or give --bus.")
        }
        // Nobody reads what it may say later, and it must not wait for that.
        shutdown(pair.0, Int32(SHUT_RD))
        return PrivateBus(address: said, shell: shell, socket: pair.0)
    }

    /// Ends the daemon, and waits until it has ended. It may be asked for more than once.
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
        // Signals that we block must end the daemon; a broken pipe, which we ignore, must go on not to.
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
        guard failure == 0 else { throw impossible(failure) }
        return process
    }

    /// What was written first; empty where nothing is within the time limit.
    private static func firstLine(of socket: Int32) -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1024)
        var wait = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        while !text.contains(UInt8(ascii: "\n")), unsafe poll(&wait, 1, patience) > 0 {
            let count = unsafe read(socket, &chunk, chunk.count)
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private static func impossible(_ code: Int32) -> CLIError {
        CLIError(.failed, "No bus can be started: \(unsafe String(cString: strerror(code))). Give --bus.")
    }
}
