import DBus
import Foundation
import RxBluetoothMocks

/// The simulation on a message bus of its own.
final class PrivateBusGround: RealTimeGround {
    private let input = Pipe()
    private let daemon: pid_t
    private let address: String
    private let simulation: ServedSimulation

    init() throws {
        let (shell, output) = (Process(), Pipe())
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The shell ends the daemon when its own input ends, so also when the test dies.
        shell.arguments = [
            "-c", "dbus-daemon --session --nofork --print-address=1 < /dev/null & echo $!; read end; kill -9 $!",
        ]
        shell.standardInput = input
        shell.standardOutput = output
        try shell.run()
        var text = ""
        while text.count(where: { $0 == "\n" }) < 2 {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            text += String(decoding: more, as: UTF8.self)
        }
        let lines = text.split(separator: "\n").map(String.init)
        // The two write at the same time, and either may be first.
        daemon = lines.lazy.compactMap { pid_t($0) }.first ?? 0
        address = lines.first { $0.hasPrefix("unix:") } ?? ""
        simulation = ServedSimulation(.lab, address: address)
        let ready = DispatchSemaphore(value: 0)
        simulation.start {
            ready.signal()
        } over: { _ in
            ready.signal()
        }
        ready.wait()
    }

    deinit {
        simulation.stop()
        if daemon > 0 { kill(daemon, SIGKILL) }
        try? input.fileHandleForWriting.close()
    }

    func connect() -> any Bus { Connection.open(.address(address)) }
}
