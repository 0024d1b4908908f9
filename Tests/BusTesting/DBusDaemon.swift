import Foundation

/// A dbus-daemon of the test's own, which ends with it.
package final class DBusDaemon {
    private let input = Pipe()
    private var daemon: pid_t
    /// Where it listens.
    package let address: String

    package init() throws {
        try MissingProgram.check("dbus-daemon")
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell ends the daemon when its own input ends, so also when the test dies.
        shell.arguments = [
            "-c",
            "dbus-daemon --session --nofork --print-address=1 < /dev/null & echo $!; read end; kill -9 $!",
        ]
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
        var text = ""
        while text.split(separator: "\n", omittingEmptySubsequences: false).count < 3 {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            text += String(decoding: more, as: UTF8.self)
        }
        let lines = text.split(separator: "\n").map(String.init)
        // The two write at the same time, and either may be first.
        daemon = lines.lazy.compactMap { pid_t($0) }.first ?? 0
        address = lines.first { $0.hasPrefix("unix:") } ?? ""
    }

    deinit { stop() }

    /// Ends the daemon. Closing the input would not do: a program that another test has started may hold it too.
    package func stop() {
        // Once: another process may have the number afterwards.
        if daemon > 0 { kill(daemon, SIGKILL) }
        daemon = 0
        try? input.fileHandleForWriting.close()
    }
}
