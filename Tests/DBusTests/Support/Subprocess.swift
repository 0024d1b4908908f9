import BusTesting
import Glibc

/// A child process that a test runs.
///
/// The standard input of the program is a socket. The socket closes when the test process ends or crashes, so that the
/// program can exit too.
final class Subprocess: Sendable {
    private let process: pid_t
    private let input: Int32
    let output: Int32

    /// Starts a program. Throws ``MissingProgram`` if the program is not installed.
    init(_ words: [String]) throws {
        var toChild: (Int32, Int32) = (-1, -1)
        var fromChild: (Int32, Int32) = (-1, -1)
        Self.makePair(&toChild)
        Self.makePair(&fromChild)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, toChild.1, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.1, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, fromChild.1, 2)
        // Clears the signal mask, which a child inherits: the threads of the test pool block all signals.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        var process: pid_t = 0
        let failure = unsafe posix_spawnp(&process, words[0], &actions, &attributes, &arguments, environ)
        unsafe arguments.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        close(toChild.1)
        close(fromChild.1)
        guard failure == 0 else {
            close(toChild.0)
            close(fromChild.0)
            throw MissingProgram(words[0])
        }
        self.process = process
        input = toChild.0
        output = fromChild.0
    }

    deinit {
        close(input)
        close(output)
        var status: Int32 = 0
        _ = unsafe waitpid(process, &status, 0)
    }

    /// Closes the standard input of the program.
    func endInput() { shutdown(input, Int32(SHUT_WR)) }

    /// Reads the output until `isEnough` returns true, or until the program ends.
    ///
    /// The call blocks its thread. The programs here answer immediately or have time limits of their own.
    func read(until isEnough: (String) -> Bool = { _ in false }) -> String {
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = unsafe Glibc.read(output, &chunk, chunk.count)
            guard count > 0 else { break }
            text += chunk[..<count]
            if isEnough(String(decoding: text, as: UTF8.self)) { break }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func makePair(_ pair: inout (Int32, Int32)) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let failure = unsafe withUnsafeMutablePointer(to: &pair) {
            unsafe $0.withMemoryRebound(to: Int32.self, capacity: 2) { unsafe socketpair(AF_UNIX, kind, 0, $0) }
        }
        precondition(failure == 0, "Cannot make a socket pair: error \(errno).")
    }
}
