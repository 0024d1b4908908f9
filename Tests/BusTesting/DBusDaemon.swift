import Foundation

/// A dbus-daemon for one test. Releasing it ends the daemon.
package final class DBusDaemon {
    private let input = Pipe()
    private var daemon: pid_t
    /// The daemon's address.
    package let address: String

    package init() throws {
        try MissingProgram.check("dbus-daemon")
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell kills the daemon when the shell's own input ends, which a crash of the test also causes.
        shell.arguments = [
            "-c",
            "dbus-daemon --session --nofork --print-address=1 < /dev/null & echo $!; read end; kill -9 $!",
        ]
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
        // Closes these ends early, because Foundation keeps them open. `Process` crashes with over 1,300 descriptors.
        try? input.fileHandleForReading.close()
        try? output.fileHandleForWriting.close()
        defer { try? output.fileHandleForReading.close() }
        var text = ""
        while text.split(separator: "\n", omittingEmptySubsequences: false).count < 3 {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            text += String(decoding: more, as: UTF8.self)
        }
        let lines = text.split(separator: "\n").map(String.init)
        // The shell and the daemon print one line each, in any order, so each line is identified by its form.
        daemon = lines.lazy.compactMap { pid_t($0) }.first ?? 0
        address = lines.first { $0.hasPrefix("unix:") } ?? ""
    }

    deinit { stop() }

    /// Ends the daemon.
    // `kill` is necessary: if another test's program holds the shell's input open, closing it ends nothing.
    package func stop() {
        // The daemon is killed only once, because the kernel can give its process number to another process.
        if daemon > 0 {
            kill(daemon, SIGKILL)
            // On a busy machine, the killed daemon still accepts connections for a moment.
            while Self.isRunning(daemon) { sched_yield() }
        }
        daemon = 0
        try? input.fileHandleForWriting.close()
    }

    /// Whether a process exists and has not exited. The kernel closes the sockets of a process before its state is Z.
    private static func isRunning(_ process: pid_t) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return status.split(separator: ") ").last?.first.map { $0 != "Z" && $0 != "X" } ?? false
    }
}
