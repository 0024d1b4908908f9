import Foundation

/// A dbus-daemon of the test's own, which ends with it.
final class RealBus {
    private let input = Pipe()
    let address: String

    init() throws {
        let (daemon, output) = (Process(), Pipe())
        daemon.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell, and the daemon with it, ends when its input does: also when the test dies.
        daemon.arguments = [
            "-c", "dbus-daemon --session --nofork --print-address=1 < /dev/null & read end; kill -9 $!",
        ]
        daemon.standardInput = input
        daemon.standardOutput = output
        try daemon.run()
        var text = Data()
        while !text.contains(UInt8(ascii: "\n")) {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            text += more
        }
        address = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    deinit { stop() }

    /// Ends the daemon.
    func stop() { try? input.fileHandleForWriting.close() }
}
