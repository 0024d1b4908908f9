import ArgumentParser
import Rx
import RxBluetooth
import RxBluetoothMocks

/// The command `ble-cli simulate`.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Serve simulated devices over D-Bus to any BlueZ program.",
        discussion: """
            Starts a private bus, and serves org.bluez on it as BlueZ does. The first line of output is \
            DBUS_SYSTEM_BUS_ADDRESS=…; set it in the environment of the program that uses the devices. Ctrl-C ends the \
            simulation and its bus, and prints the number of advertisements sent.

            With a COMMAND after --, the command runs on the private bus, and the simulation ends with it. The exit \
            code is that of the command, and only the command uses the output.

            SCENARIO is everyday (the default: five devices of a household), crowd (1,000 beacons that send 5,000 \
            advertisements a second), lab (the eight peripherals of the project's virtual machine), showroom (a \
            sensor or beacon of each known format), or a YAML or JSON file that describes adapters, peripherals, \
            faults and events. The path of a file contains a slash or a dot. An error in a file is reported with its \
            line and the expected value. Times in a file count from the start of this program.

            With --bluez, the simulation behaves like this version of BlueZ. Without it, a file can name a version with \
            bluez: 5.66, and the default is 5.82, the version of Debian 13.

            EXAMPLES:
              ble-cli simulate
              ble-cli simulate crowd
              ble-cli simulate hall.yaml
              ble-cli simulate everyday --bluez 5.66
              ble-cli simulate everyday -- bluetoothctl --timeout 5 scan on
              ble-cli simulate -- python3 my_program.py
              ble-cli simulate everyday --bus unix:path=/run/test/bus
              ble-cli simulate showroom --write-keys showroom.keys
            """)

    @Argument(help: "The scenario: \(ScenarioArgument.choices).", completion: .scenarios)
    var scenario = ScenarioArgument.standard

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Simulate this version of BlueZ: \(BlueZArgument.choices).", valueName: "version"),
        completion: .bluezVersions)
    var bluez: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Serve on the bus at this address instead of a private bus.", valueName: "address"))
    var bus: String?

    @Option(
        name: .customLong("write-keys"), parsing: .unconditional,
        help: ArgumentHelp(
            "Write the keys of the sensors that encrypt what they advertise to a new file of mode 0600, for scan --keys.",
            valueName: "file"))
    var keyFile: String?

    @Argument(
        parsing: .postTerminator,
        help: "After --, a program with its arguments that runs on the bus of the simulation.")
    var command: [String] = []

    func run() throws {
        let scenario = try ScenarioArgument.parse(scenario, bluez: bluez)
        if let bus, bus.trimmed.isEmpty {
            throw CLIError(.usage, "The address of the bus is empty. Give one such as unix:path=/run/test/bus.")
        }
        if let keyFile { try Self.writeKeys(of: scenario, to: keyFile) }
        try SimulationProcess.run(scenario, bus: bus, command: command)
    }
}

extension SimulateCommand {
    /// Writes a key file. Throws if the scenario has no keys, or the file cannot be written.
    static func writeKeys(of scenario: Scenario, to path: String) throws(CLIError) {
        let keys = scenario.sensorKeys
        guard keys.count > 0 else {
            throw CLIError(.usage, "No device of the scenario has a key. Leave out --write-keys.")
        }
        do throws(KeyFileError) { try keys.write(newFile: path) } catch { throw CLIError(.usage, "\(error)") }
    }
}

/// Serves a simulation from this process to other processes, until a signal ends it.
enum SimulationProcess {
    static func run(_ scenario: Scenario, bus: String?, command: [String] = []) throws(CLIError) -> Never {
        Signals.block()
        let privateBus: PrivateBus? = if bus == nil { try PrivateBus.start() } else { nil }
        let address = bus ?? privateBus?.address ?? ""
        var endBus: (@Sendable () -> Void)?
        if let privateBus { endBus = { privateBus.end() } }
        let simulation = ServedSimulation(scenario, address: address, endBus: endBus)
        let code = Guarded(ExitCode.interrupted.rawValue)
        let child = Guarded(CommandState.waiting)
        // Ignores a closed output, because the clients of the simulation use the bus.
        simulation.start {
            guard command.isEmpty else {
                return run(command, at: address, child) { end in
                    code.withLock { $0 = end }
                    simulation.stop()
                }
            }
            try? FileOutput.standard.line("DBUS_SYSTEM_BUS_ADDRESS=\(address)")
            if FileOutput.standard.isTerminal, bus == nil { printUse(of: address) }
        } over: { error in
            privateBus?.end()
            switch error?.kind {
            case nil, .busLost:
                if !command.isEmpty { break }
                try? FileOutput.standard.line(summary(of: simulation.bluez))
            case .badAddress, .noBus, .refused, .nameTaken: break
            }
            guard let error else { ExitCode.exitProcess(code.withLock { $0 }) }
            let failure = CLIError(error, address: address)
            Messages(output: FileOutput.error).fail(failure)
            failure.code.exitProcess()
        }
        var signal = Signals.next()
        // The terminal sends Ctrl-C to the command, too. Other signals are passed on; the command decides how it ends.
        // Without a command, or before its start, the signal ends the simulation, and the command does not start.
        while let child = child.withLock({ $0.cancelStart() }) {
            if signal != .interrupted || !FileOutput.error.isTerminal { child.send(signal.rawValue - 128) }
            signal = Signals.next()
        }
        code.withLock { [signal] in $0 = signal.rawValue }
        simulation.stop()
        // A second signal exits immediately. The private bus ends with this process in any case.
        Signals.next(after: .milliseconds(200)).exitProcess()
    }

    /// The command of a simulation.
    private enum CommandState {
        case waiting, cancelled
        case running(ChildCommand)

        /// Returns the command if it runs. Otherwise the command does not start any more.
        mutating func cancelStart() -> ChildCommand? {
            if case .running(let child) = self { return child }
            self = .cancelled
            return nil
        }
    }

    /// Runs a command on the bus of the simulation.
    ///
    /// - Parameter onEnd: Called with the exit code when the command has ended.
    private static func run(
        _ command: [String], at address: String, _ child: borrowing Guarded<CommandState>,
        onEnd: @escaping @Sendable (Int32) -> Void
    ) {
        do throws(CLIError) {
            // The lock is held during the start, so that no signal finds a command that runs and is not known yet.
            let result = child.withLock { state -> Result<ChildCommand, CLIError>? in
                if case .cancelled = state { return nil }
                let result = Result { () throws(CLIError) in
                    try ChildCommand.start(command, adding: ["DBUS_SYSTEM_BUS_ADDRESS": address])
                }
                if case .success(let started) = result { state = .running(started) }
                return result
            }
            try result?.get().onExit(onEnd)
        } catch {
            Messages(output: FileOutput.error).fail(error)
            onEnd(error.code.rawValue)
        }
    }

    /// Prints how another program uses the devices, for a user that has started the simulation on a terminal.
    private static func printUse(of address: String) {
        let messages = Messages(output: FileOutput.error)
        messages.note("The devices are on the bus above. Ctrl-C ends it. In another terminal:")
        messages.note("  export DBUS_SYSTEM_BUS_ADDRESS='\(address)'")
        messages.note("  ble-cli scan")
        messages.note("For one command: ble-cli simulate SCENARIO -- COMMAND")
    }

    /// Returns a sentence with the number of sent advertisements, and of those that were due but not sent.
    private static func summary(of bluez: SimulatedBlueZ) -> String {
        let missed = bluez.advertisementsMissed
        return "Sent \(bluez.advertisementsSent) advertisements"
            + (missed == 0 ? "." : "; \(missed) more were due, but this computer was too slow.")
    }
}

extension CLIError {
    /// Makes an error from the error that ended a simulation on a bus.
    init(_ error: ServingError, address: String) {
        var why = error.message.trimmed
        while why.last == "." { why.removeLast() }
        if why.isEmpty { why = "no reason given" }
        let what = "The devices cannot be served at \(address)"
        let otherwise = "or leave out --bus to use a private bus"
        switch error.kind {
        case .badAddress:
            self.init(.usage, "\(what): \(why). Give an address such as unix:path=/run/test/bus.")
        case .noBus:
            self.init(.unavailable, "\(what): \(why). Check that there is a bus, \(otherwise).")
        case .refused:
            self.init(
                .unavailable,
                "\(what): \(why). Change the bus's policy so that it allows owning org.bluez, \(otherwise).")
        case .nameTaken:
            self.init(.failed, "\(what): \(why). End the program that owns the name, \(otherwise).")
        case .busLost:
            self.init(.unavailable, "The bus at \(address) is gone: \(why). Start the simulation again.")
        }
    }
}
