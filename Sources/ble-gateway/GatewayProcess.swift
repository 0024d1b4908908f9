import BluetoothValues
import CArguments
import Dispatch
import FoundationEssentials
import Gateway
import Rx
import RxBluetooth
import RxBluetoothMocks

/// What the program does, after the command line was read.
enum GatewayProcess {
    static func run(_ action: GatewayCommand.Action, _ command: GatewayCommand) throws(ProgramFailure) {
        switch action {
        case .printExample: LogOutput.print(GatewayConfiguration.example)
        case .check(let path):
            let checked = try configuration(path)
            let output = LogOutput(.terminal, isVerbose: false)
            for warning in checked.warnings { output.write("\(path): \(warning)", .warning) }
            LogOutput.print("\(path) has no mistakes.\n")
        case .run(let path):
            let isDryRun = command.dryRun
            let settings = try configuration(path, isDryRun: isDryRun)
            let log = LogOutput(isVerbose: command.verbose)
            if !isDryRun { for warning in settings.warnings { log.write(warning, .warning) } }
            let gateway = try RunningGateway(
                settings, isSimulated: command.simulate, isDryRun: isDryRun, log: log)
            gateway.run { () throws(ProgramFailure) -> GatewayConfiguration? in
                guard let path else { return nil }
                return try configuration(path, isDryRun: isDryRun)
            }
        }
    }

    /// Reads a configuration file; without one, returns the defaults.
    private static func configuration(
        _ path: String?, isDryRun: Bool = false
    ) throws(ProgramFailure) -> GatewayConfiguration {
        do throws(ConfigurationError) {
            guard let path else { return try GatewayConfiguration(yaml: "") }
            let folders = ProcessInfo.processInfo.environment["STATE_DIRECTORY"]
            let configuration = try GatewayConfiguration(file: path, stateFolders: folders)
            return isDryRun ? configuration.dryRun : configuration
        } catch {
            let lines = error.mistakes.map { "\(error.file): \($0)" }
            throw ProgramFailure(ProgramFailure.usage, lines.joined(separator: "\n"))
        }
    }
}

/// A gateway with the parts of a process: its queue, broker, store, metrics, watchdog and signals.
final class RunningGateway {
    private let queue = DispatchQueue(label: "ble-gateway")
    /// Of its own, because a disk may block it.
    private let storeQueue = DispatchQueue(label: "ble-gateway.store")
    private let loop: GatewayLoop
    private let log: LogOutput
    private let gateway: Gateway
    private let notifier: WatchdogNotifier
    private let serviceStatus: ServiceStatus
    private let simulation: Simulation?
    private var metrics: MetricsServer?
    private var signals: StopSignals?
    private var isStopping = false

    /// How long stopping may take, with the links that bluetoothd closes.
    private static let stopLimit = Duration.seconds(12)

    init(
        _ configuration: GatewayConfiguration, isSimulated: Bool, isDryRun: Bool, log: LogOutput
    ) throws(ProgramFailure) {
        let loop = GatewayLoop(queue: queue)
        self.loop = loop
        self.log = log
        let simulation = isSimulated ? Simulation(.showroom, scheduler: loop.scheduler) : nil
        self.simulation = simulation
        notifier = WatchdogNotifier(loop: loop)
        let client = Gateway.client(of: configuration)
        let broker: any Broker =
            isDryRun ? PrintingBroker(loop: loop) : MQTTBroker(client, loop: loop, queue: queue)
        let store = try Self.store(configuration)
        gateway = Gateway(
            configuration, loop: loop, broker: broker, store: store,
            storeLoop: GatewayLoop(queue: storeQueue), keys: isSimulated ? Scenario.showroomKeys : KeyStore(),
            reset: isSimulated || isDryRun ? nil : Self.reset(loop)
        ) { (adapter: AdapterSelection) -> BluetoothManager in
            var settings = BluetoothManager.Configuration(adapter: adapter, scheduler: loop.scheduler)
            // Readings are stored in batches anyway, and reading the bus rarely saves much of the processor.
            settings.readingInterval = .milliseconds(100)
            // The manager of all adapters only watches which ones exist. The supervisors have managers of their own.
            if case .automatic = adapter { settings.followsIdleDevices = false }
            settings.lostOperationFile = Self.lostOperationFile
            guard let simulation else { return BluetoothManager(configuration: settings) }
            return BluetoothManager(configuration: settings, bus: simulation.connect())
        }
        serviceStatus = ServiceStatus(of: gateway, notifier: notifier, loop: loop)
        if let port = configuration.metricsPort { metrics = try Self.metrics(port, of: gateway, loop, queue) }
        gateway.onEvent = { log.write($0) }
    }

    /// A file in the folder that systemd empties when the computer starts; nil without one.
    private static var lostOperationFile: String? {
        let folders = ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"]?.split(separator: ":")
        return folders?.first.map { $0 + "/lost-operations" }
    }

    /// Runs the gateway until a signal ends the process. SIGHUP reads the configuration again.
    func run(reading: @escaping ConfigurationReloads.Reader) -> Never {
        let bound = loop.bound(self)
        let queue = queue
        let log = log
        // A queue of its own, because a disk or a lock may block that of the gateway.
        let signalQueue = DispatchQueue(label: "ble-gateway.signals")
        let reloads = ConfigurationReloads(read: reading) { result in
            queue.async { bound.value.reload(result) }
        }
        signals = StopSignals(queue: signalQueue) {
            queue.async { bound.value.start() }
        } onReload: {
            queue.async { bound.value.beginReload() }
            reloads.request()
        } onSignal: { count in
            guard count == 1 else { ProgramFailure.exitProcess(130) }
            queue.async { bound.value.stop() }
            signalQueue.asyncAfter(deadline: .now() + Self.stopLimit / .seconds(1)) {
                LogOutput.writeLast(within: .seconds(1)) {
                    log.write("the gateway did not stop within \(Self.stopLimit.components.seconds) s", .warning)
                }
                ProgramFailure.exitProcess(ProgramFailure.failed)
            }
        }
        dispatchMain()
    }

    private func start() {
        if let metrics { log.write("metrics are served on http://127.0.0.1:\(metrics.port)/metrics", .info) }
        gateway.start()
        serviceStatus.start()
        // Linux maps a program in large parts, and most of what the start needs is never used again.
        _ = loop.schedule(after: .seconds(10)) { release_program_pages() }
    }

    private func beginReload() {
        if !isStopping { notifier.reloading() }
    }

    /// An invalid file changes nothing.
    private func reload(_ result: ConfigurationReloads.Outcome) {
        // The file was read while a signal stopped the gateway.
        guard !isStopping else { return }
        switch result {
        case .success(let configuration?):
            for warning in configuration.warnings { log.write(warning, .warning) }
            gateway.reload(configuration)
        case .success(nil): log.write("there is no configuration file to read again", .warning)
        case .failure(let failure):
            let mistakes = failure.description.split(separator: "\n")
            let more = mistakes.count > 1 ? " (and \(mistakes.count - 1) more; --check lists them)" : ""
            log.write("the configuration stays as it was: \(mistakes.first ?? "it cannot be read")\(more)", .error)
        }
        notifier.reloaded()
    }

    private func stop() {
        isStopping = true
        notifier.stopping()
        metrics?.stop()
        gateway.stop { ProgramFailure.exitProcess(0) }
    }

    /// Returns the reset of a radio by rfkill; nil if this process may not use it.
    private static func reset(_ loop: GatewayLoop) -> AdapterSupervisor.Reset? {
        let radio = RadioReset()
        guard radio.isPermitted else { return nil }
        return { radio.run($0, on: loop.scheduler) }
    }

    private static func store(
        _ configuration: GatewayConfiguration
    ) throws(ProgramFailure) -> any PublicationStore {
        guard let path = configuration.store.path else { return memory(configuration) }
        do throws(StoreFailure) {
            return try SQLiteStore(path: path, maximumBytes: configuration.store.maximumBytes)
        } catch {
            throw ProgramFailure(ProgramFailure.failed, error.description)
        }
    }

    /// A store in memory. Its messages end with the process, so its identity is a new one each time.
    private static func memory(_ configuration: GatewayConfiguration) -> any PublicationStore {
        let identity = String(UInt64.random(in: 0 ... .max), radix: 16)
        return SimulatedStore(
            identity: identity, maximumBytes: configuration.store.maximumBytes, countsMemory: true)
    }

    private static func metrics(
        _ port: UInt16, of gateway: Gateway, _ loop: GatewayLoop, _ queue: DispatchQueue
    ) throws(ProgramFailure) -> MetricsServer {
        do throws(MetricsFailure) {
            return try MetricsServer(port: port, loop: loop, queue: queue) { gateway.metrics() }
        } catch {
            throw ProgramFailure(ProgramFailure.failed, error.description)
        }
    }
}
