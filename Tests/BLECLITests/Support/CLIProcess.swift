import Foundation
import Glibc
import Rx

@testable import ble_cli

/// The built program as a process of its own, with pipes for its output.
final class CLIProcess: Sendable {
    private let process: pid_t
    private let output: Int32
    private let errors: Int32

    /// What it wrote and how it ended.
    struct End: Sendable {
        let code: Int32
        let output: String
        let errors: String

        var lines: [String] { Self.lines(output) }
        var errorLines: [String] { Self.lines(errors) }

        private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
    }

    convenience init(_ arguments: String..., bus: String? = nil) { self.init(list: arguments, bus: bus) }

    init(list arguments: [String], bus: String? = nil) {
        let path = Self.path
        let out = Self.pipe()
        let err = Self.pipe()
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, out.writing, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, err.writing, 2)
        // A thread of a pool blocks all signals, and a child inherits that.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        // A time limit of its own, so that a program that hangs fails the test and does not stop it. It is long, for on a busy
        // machine what the test does with the program waits for its turn.
        let words =
            ["/usr/bin/env"] + (bus.map { ["DBUS_SYSTEM_BUS_ADDRESS=\($0)"] } ?? [])
            + ["timeout", "--foreground", "--kill-after=30", "280", path] + arguments
        var strings: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, words[0], &actions, &attributes, &strings, environ)
        precondition(failure == 0, "\(path) does not start: \(failure)")
        unsafe strings.forEach { unsafe free($0) }
        unsafe posix_spawn_file_actions_destroy(&actions)
        unsafe posix_spawnattr_destroy(&attributes)
        close(out.writing)
        close(err.writing)
        self.process = process
        output = out.reading
        errors = err.reading
    }

    /// Sends a signal to it.
    func signal(_ number: Int32) { kill(process, number) }

    /// Kills the program itself, which is a child of the one that limits its time, without giving it a chance to do anything.
    func killChild() throws {
        let file = unsafe fopen("/proc/\(process)/task/\(process)/children", "r")
        defer { if let file = unsafe file { unsafe fclose(file) } }
        var text = [CChar](repeating: 0, count: 64)
        guard let file = unsafe file, unsafe fgets(&text, Int32(text.count), file) != nil else {
            throw CLIError(.failed, "The program has no process.")
        }
        kill(unsafe atoi(text), SIGKILL)
    }

    /// Reads from its output until a line has come, and gives what came.
    func firstLine() async -> String {
        await onThread { [self] in
            var text: [UInt8] = []
            while !text.contains(UInt8(ascii: "\n")), let more = Self.read(output) { text += more }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Stops reading its output.
    func closeOutput() { close(output) }

    /// Reads to the end of both outputs and waits until it has ended. Its error line fits a pipe, so the order does not matter.
    func end(readingOutput: Bool = true) async -> End {
        await onThread { [self] in
            let out = readingOutput ? Self.all(output) : ""
            if readingOutput { close(output) }
            let err = Self.all(errors)
            close(errors)
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
            return End(code: code, output: out, errors: err)
        }
    }

    /// Waits on a thread of its own: those that run tests are as many as the cores, and all other tests would wait too.
    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        let value = Guarded<Value?>(nil)
        await withCheckedContinuation { waiter in
            Thread.detachNewThread {
                let made = work()
                value.withLock { $0 = made }
                waiter.resume()
            }
        }
        return value.withLock { $0! }
    }

    /// The program stands beside the tests.
    private static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if own.contains(".xctest") || own.contains("/debug/") || own.contains("/release/") {
            return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/ble-cli"
        }
        // Where a runner of the toolchain loads the tests, its arguments name their bundle.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        return bundle.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/ble-cli"
    }

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
        return count > 0 ? Array(chunk[..<count]) : nil
    }

    private static func all(_ descriptor: Int32) -> String {
        var text: [UInt8] = []
        while let more = read(descriptor) { text += more }
        return String(decoding: text, as: UTF8.self)
    }

    /// A pipe that no other child inherits, which would keep it open. pipe2(2) is not there for Swift, but a FIFO has all of it.
    private static func pipe() -> (reading: Int32, writing: Int32) {
        var template = Array("/tmp/ble-cli-test.XXXXXX".utf8CString)
        let folder = unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? ""
        let path = folder + "/pipe"
        unsafe mkfifo(path, 0o600)
        // Without waiting for a writer; reading then waits all the same.
        let reading = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writing = unsafe open(path, O_WRONLY | O_CLOEXEC)
        precondition(reading >= 0 && writing >= 0, "No pipe: \(errno)")
        _ = fcntl(reading, F_SETFL, 0)
        unsafe unlink(path)
        unsafe rmdir(folder)
        return (reading, writing)
    }
}
