import Dispatch
import Logging
import Rx
import RxBluetooth
import RxBluetoothMocks

/// A verb in a process of its own: on the real clock, with signals.
enum CommandProcess {
    static func run(_ verb: any Verb, _ options: CommandContext.Options, simulating scenario: Scenario?) -> Never {
        let queue = DispatchQueue(label: "ble-cli")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "ble-cli.run")
        let simulation = scenario.map { Simulation($0, scheduler: scheduler) }
        let messages = Messages(output: FileOutput.error, isJSON: options.json)
        let logger = options.isVerbose ? logger(to: messages) : silentLogger
        let manager =
            if let simulation {
                BluetoothManager(
                    bus: simulation.connect(), scheduler: scheduler, adapter: options.adapter,
                    deadlines: options.deadlines, pairing: verb.pairing,
                    logger: logger)
            } else {
                BluetoothManager(
                    queue: queue, adapter: options.adapter, deadlines: options.deadlines, pairing: verb.pairing,
                    logger: logger)
            }
        let context = CommandContext(
            manager: manager, scheduler: scheduler, output: FileOutput.standard, options: options,
            messages: messages)
        let run = CommandRunner(context, messages: messages) { code in
            // The simulation lives as long as its user.
            withExtendedLifetime(simulation) {}
            Exit.now(code)
        }
        run.start(verb)
        ClosedPipeMonitor.start(FileOutput.standard.descriptor) { run.stop(.done) }
        let first = Signals.next()
        // The result is there, and only bluetoothd's answer is not: the exit code stays that of the result.
        if let code = run.ending { Exit.now(code) }
        run.stop(first)
        // Who asks twice does not want to wait. But timeout(1) and a terminal's group may bring one wish as two signals at once.
        Exit.now(Signals.next(after: .milliseconds(200)))
    }

    /// Talk goes to stderr, so that the data on stdout stays what it is.
    private static func logger(to messages: Messages) -> Logger {
        Logger(label: "ble-cli") { _ in MessageLogHandler(messages: messages) }
    }
}
