import Dispatch
import Logging
import Rx
import RxBluetooth
import RxBluetoothMocks

/// A verb in a process of its own: on the real clock, with signals.
enum Launch {
    static func run(_ verb: any Verb, _ options: Session.Options, simulating scenario: Scenario?) -> Never {
        let queue = DispatchQueue(label: "ble-cli")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "ble-cli.run")
        let simulation = scenario.map { Simulation($0, scheduler: scheduler) }
        let logger = options.isVerbose ? talkativeLogger : silentLogger
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
        let session = Session(
            manager: manager, scheduler: scheduler, output: FileOutput.standard, options: options,
            notes: FileOutput.error)
        let run = Run(session, errors: FileOutput.error) { code in
            // The simulation lives as long as its user.
            withExtendedLifetime(simulation) {}
            Exit.now(code)
        }
        run.start(verb)
        ReaderWatch.start(FileOutput.standard.descriptor) { run.stop(.done) }
        run.stop(Signals.next())
        // Who asks twice does not want to wait.
        let code = Signals.next()
        Exit.now(code)
    }

    /// Talk goes to stderr, so that the data on stdout stays what it is.
    private static var talkativeLogger: Logger {
        var logger = Logger(label: "ble-cli") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .debug
        return logger
    }
}
