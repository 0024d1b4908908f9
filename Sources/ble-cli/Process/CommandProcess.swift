import Dispatch
import Logging
import ProgramSupport
import Rx
import RxBluetooth
import RxBluetoothMocks

/// Runs a verb in this process until it ends, a signal arrives, or the reader closes the output.
enum CommandProcess {
    static func run(_ verb: any Verb, _ options: CommandContext.Options, simulating scenario: Scenario?) -> Never {
        Signals.block()
        let queue = DispatchQueue(label: "ble-cli")
        let scheduler = SerialDispatchQueueScheduler(queue: queue, internalSerialQueueName: "ble-cli.run")
        let simulation = scenario.map { Simulation($0, scheduler: scheduler) }
        let messages = Messages(output: verb.sharing(FileOutput.error), isJSON: options.json)
        var configuration = BluetoothManager.Configuration(
            adapter: options.adapter, scheduler: scheduler, deadlines: options.deadlines, pairing: verb.pairing,
            logger: options.isVerbose ? MessageLogHandler.logger(to: messages) : nil)
        configuration.keys = verb.keys
        configuration.formats = CommandLineTool.formats
        configuration.lostOperationFile = KeptLinkFiles.ofEnvironment.folder.map { $0 + "/lost-operations" }
        let makeManager: @Sendable (PairingPolicy) -> BluetoothManager = { [configuration] pairing in
            var configuration = configuration
            configuration.pairing = pairing
            guard let simulation else { return BluetoothManager(configuration: configuration) }
            return BluetoothManager(configuration: configuration, bus: simulation.connect())
        }
        let manager = makeManager(verb.pairing)
        let context = CommandContext(
            manager: manager, scheduler: scheduler, output: verb.sharing(FileOutput.standard), options: options,
            messages: messages, keptLinks: simulation == nil ? KeptLinkFiles.ofEnvironment : MemoryKeptLinks(),
            closingLinks: simulation == nil ? ClosingLinkFiles.ofEnvironment : MemoryClosingLinks(),
            makeManager: makeManager)
        let runner = CommandRunner(context, messages: messages) { code in
            // Keeps the simulation alive until the command has ended.
            withExtendedLifetime(simulation) {}
            code.exitProcess()
        }
        runner.start(verb)
        ClosedPipeMonitor.start(FileOutput.standard.descriptor) { runner.stop(.done) }
        var signal = Signals.next()
        while signal == .interrupted, runner.resultCode == nil, verb.interrupt() { signal = Signals.next() }
        // If the result is already printed, its exit code is kept. Only bluetoothd's reply is missing.
        if let code = runner.resultCode { code.exitProcess() }
        runner.stop(signal)
        // A second signal exits immediately. Signals within 200 ms are ignored, because timeout(1) and a terminal may
        // send the first signal twice.
        Signals.next(after: .milliseconds(200)).exitProcess()
    }
}
