import Dispatch
import GatewayCore
import Glibc
import RxBluetooth

/// The gateway as a service: `gateway ADDRESS…`. It ends cleanly after SIGTERM or Ctrl-C.
@main
enum GatewayProgram {
    static func main() async {
        let sensors = CommandLine.arguments.dropFirst().compactMap { BluetoothAddress($0) }
        guard !sensors.isEmpty, sensors.count == CommandLine.arguments.count - 1 else {
            say("usage: gateway ADDRESS…, for example gateway C0:FF:EE:00:00:01")
            exit(64)
        }
        let (signals, stop) = AsyncStream.makeStream(of: Int32.self)
        let sources = [SIGTERM, SIGINT].map { forward($0, to: stop) }
        let manager = BluetoothManager()
        let reports = Task {
            for try await report in Gateway(manager: manager).reports(of: sensors).values { say("\(report)") }
        }
        for await signal in signals {
            say("signal \(signal): closing the links")
            break
        }
        reports.cancel()
        // Completes when bluetoothd has closed the links, or their deadlines have passed.
        try? await manager.close().value
        say("done")
        withExtendedLifetime(sources) {}
    }

    /// Prints a line at once, also in a pipe or the journal.
    static func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    /// Sends a signal to a stream. The signal no longer ends the process.
    static func forward(_ number: Int32, to stream: AsyncStream<Int32>.Continuation) -> any DispatchSourceSignal {
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
        source.setEventHandler { stream.yield(number) }
        source.activate()
        return source
    }
}
