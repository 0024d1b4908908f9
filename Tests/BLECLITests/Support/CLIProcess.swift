import Foundation
import Glibc

@testable import ble_cli

/// The built program as a child process, with pipes for its output.
final class CLIProcess: Sendable {
    private let process: pid_t
    private let output: Int32
    private let errors: Int32

    /// The output, the exit code and the CPU time of a run.
    struct End: Sendable {
        let code: Int32
        let output: String
        let errors: String
        let cpuTime: Duration

        var lines: [String] { Self.lines(output) }
        var errorLines: [String] { Self.lines(errors) }

        private static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
    }

    convenience init(_ arguments: String..., bus: String? = nil) { self.init(list: arguments, bus: bus) }

    /// Runs a program of this package with a limit of open files.
    ///
    /// - Parameter command: The name of the program, and its arguments.
    convenience init(_ command: [String], openFiles limit: Int) {
        // Files that the tests have open would count.
        let closed = (3...9).map { "\($0)>&-" }.joined(separator: " ")
        let script = "exec \(closed); ulimit -n \(limit); exec \"$0\" \"$@\""
        let folder = String(Self.path.dropLast("ble-cli".count))
        self.init(list: ["-c", script, folder + command[0]] + command.dropFirst(), program: "/bin/sh")
    }

    /// - Parameters:
    ///   - input: The file that the program reads as its standard input.
    ///   - environment: Variables besides those of this process and the address of the bus.
    ///   - path: The path of the program. Default: ble-cli.
    init(
        list arguments: [String], bus: String? = nil, input: String = "/dev/null", environment: [String: String] = [:],
        program path: String = CLIProcess.path
    ) {
        let out = Self.pipe()
        let err = Self.pipe()
        var variables = environment
        variables["DBUS_SYSTEM_BUS_ADDRESS"] = bus
        process = unsafe ChildProcess.start(path, arguments, environment: variables) { actions in
            unsafe posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
            unsafe posix_spawn_file_actions_adddup2(&actions, out.writing, 1)
            unsafe posix_spawn_file_actions_adddup2(&actions, err.writing, 2)
        }
        close(out.writing)
        close(err.writing)
        output = out.reading
        errors = err.reading
    }

    /// Sends a signal to the program.
    func signal(_ number: Int32) { kill(process, number) }

    /// Kills ble-cli, which is a child of timeout(1), so that it cannot clean up.
    func killChild() throws { try signalChild(SIGKILL) }

    /// Sends signals to ble-cli itself. It is stopped meanwhile, so it handles the first one when all have arrived.
    func signalAtOnce(_ numbers: Int32...) throws {
        try signalChild(SIGSTOP)
        for number in numbers { try signalChild(number) }
        try signalChild(SIGCONT)
    }

    private func signalChild(_ number: Int32) throws {
        guard let child else { throw CLIError(.failed, "The program has no process.") }
        kill(child, number)
    }

    /// Sends a signal to the program itself, which is stopped meanwhile, so that its CPU time before is exact.
    ///
    /// - Parameter isDue: Whether to send the signal in this state.
    /// - Returns: The CPU time before the signal; nil if the program has ended.
    func signalChild(_ number: Int32, when isDue: @escaping @Sendable (ProcessState) -> Bool) async -> Duration? {
        await ChildProcess.onThread { [self] in
            while ProcessState(of: process).map({ $0.letter == "Z" }) == false {
                if let child, let state = ProcessState(of: child), isDue(state) {
                    kill(child, SIGSTOP)
                    while let state = ProcessState(of: child), state.letter != "Z" {
                        guard state.letter == "T" else {
                            ChildProcess.pause()
                            continue
                        }
                        kill(child, number)
                        kill(child, SIGCONT)
                        return state.cpuTime
                    }
                }
                ChildProcess.pause()
            }
            return nil
        }
    }

    /// Waits until the program catches a signal.
    func handlesSignals(_ number: Int32 = SIGINT, name: String = "ble-cli") async {
        let signal = UInt64(1) << UInt64(number - 1)
        await ChildProcess.onThread { [self] in
            while true {
                let status = child.flatMap { try? String(contentsOfFile: "/proc/\($0)/status", encoding: .utf8) } ?? ""
                let caught = status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") }
                let mask = caught?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) } ?? 0
                if mask & signal != 0, status.contains("Name:\t\(name)\n") { return }
                ChildProcess.pause()
            }
        }
    }

    /// The process of the program, which is a child of timeout(1).
    private var child: pid_t? {
        let file = unsafe fopen("/proc/\(process)/task/\(process)/children", "r")
        defer { if let file = unsafe file { unsafe fclose(file) } }
        var text = [CChar](repeating: 0, count: 64)
        guard let file = unsafe file, unsafe fgets(&text, Int32(text.count), file) != nil else { return nil }
        return unsafe atoi(text)
    }

    /// The peak memory of ble-cli so far, in kilobytes; nil if it does not run.
    var peakMemory: Int? {
        let status = child.flatMap { try? String(contentsOfFile: "/proc/\($0)/status", encoding: .utf8) } ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) }
    }

    /// Reads the first line of standard output. ``end(readingOutput:)`` returns the other lines.
    func firstLine() async -> String {
        await ChildProcess.onThread { [self] in
            var text: [UInt8] = []
            while text.last != UInt8(ascii: "\n"), let more = Self.read(output, atMost: 1) { text += more }
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// Closes standard output.
    func closeOutput() { close(output) }

    /// Reads standard output and then standard error to their ends, and waits for the exit.
    ///
    /// The program can write its errors first, because they fit the buffer of their pipe.
    func end(readingOutput: Bool = true) async -> End {
        await ChildProcess.onThread { [self] in
            let out = readingOutput ? Self.all(output) : ""
            if readingOutput { close(output) }
            let err = Self.all(errors)
            close(errors)
            let end = ChildProcess.end(of: process)
            return End(code: end.code, output: out, errors: err, cpuTime: end.cpuTime)
        }
    }

    /// The path of ble-gateway, which is next to ble-cli.
    static var gatewayPath: String { String(path.dropLast("ble-cli".count)) + "ble-gateway" }

    /// The path of the program, which is next to the test bundle.
    static var path: String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let own = String(decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if own.contains(".xctest") || own.contains("/debug/") || own.contains("/release/") {
            return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/ble-cli"
        }
        // If a runner of the toolchain loads the tests, its arguments contain the path of the bundle.
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
        return bundle.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/ble-cli"
    }

    private static func read(_ descriptor: Int32, atMost limit: Int = 65536) -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: limit)
        let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
        return count > 0 ? Array(chunk[..<count]) : nil
    }

    private static func all(_ descriptor: Int32) -> String {
        var text: [UInt8] = []
        while let more = read(descriptor) { text += more }
        return String(decoding: text, as: UTF8.self)
    }

    /// Makes a pipe that other children do not inherit, so that they cannot keep it open.
    ///
    /// The pipe is a named one, because Swift does not import pipe2(2).
    private static func pipe() -> (reading: Int32, writing: Int32) {
        var template = Array("/tmp/ble-cli-test.XXXXXX".utf8CString)
        let folder = unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? ""
        let path = folder + "/pipe"
        unsafe mkfifo(path, 0o600)
        // O_NONBLOCK opens the reading end before there is a writer. F_SETFL clears the flag: reads block again.
        let reading = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writing = unsafe open(path, O_WRONLY | O_CLOEXEC)
        precondition(reading >= 0 && writing >= 0, "No pipe: \(errno)")
        _ = fcntl(reading, F_SETFL, 0)
        unsafe unlink(path)
        unsafe rmdir(folder)
        return (reading, writing)
    }
}

extension CLIProcess {
    /// Runs scans of 1 s, 2 s, 4 s … 32 s until one prints enough or fails, and returns that run.
    ///
    /// The number of results within a time limit depends on the load of the machine.
    static func scan(
        _ arguments: String..., bus: String? = nil, until isEnough: (End) -> Bool
    ) async -> End {
        var limit = 1
        while true {
            let end = await CLIProcess(list: ["scan", "--timeout", "\(limit)"] + arguments, bus: bus).end()
            if isEnough(end) || end.code != 0 || limit >= 32 { return end }
            limit *= 2
        }
    }
}
