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
        // The shell ends the daemon when its own input ends, which includes a crash of the test.
        shell.arguments = [
            "-c",
            "dbus-daemon --session --nofork --print-address=1 < /dev/null & echo $!; read end; kill -9 $!",
        ]
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
        // Foundation keeps these ends until the shell is collected. With over 1,300 descriptors its `Process` crashes.
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
        // Both lines are written at the same time, in any order.
        daemon = lines.lazy.compactMap { pid_t($0) }.first ?? 0
        address = lines.first { $0.hasPrefix("unix:") } ?? ""
    }

    deinit { stop() }

    /// Ends the daemon.
    // Closing the input is not sufficient: a program that another test starts may hold it too.
    package func stop() {
        // Only once: another process may have the same number afterwards.
        if daemon > 0 { kill(daemon, SIGKILL) }
        daemon = 0
        try? input.fileHandleForWriting.close()
    }
}
