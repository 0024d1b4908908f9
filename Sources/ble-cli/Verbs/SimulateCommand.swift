import ArgumentParser
import Rx
import RxBluetoothMocks

/// `ble-cli simulate`
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Serve simulated devices as bluetoothd does, to any program.",
        discussion: """
            It starts a bus of its own, serves org.bluez there as BlueZ 5.66 does, and prints where: the first line is \
            DBUS_SYSTEM_BUS_ADDRESS=… for the environment of the program that is to see the devices. It goes on until \
            Ctrl-C, takes the bus with it, and says how many advertisements were sent.

            SCENARIO is everyday (five devices of a household; the one that is served where none is named), crowd \
            (1,000 beacons that send 5,000 advertisements a second) or lab (the eight peripherals of the project's \
            virtual machine), or a file in YAML or JSON that describes adapters, peripherals, what goes wrong and what \
            happens when. A file is named by a path with a slash or a dot in it. What is wrong with a file is told with its \
            line and what is expected there. Times in a file count from the start of this program.

            EXAMPLES:
              ble-cli simulate
              ble-cli simulate crowd
              ble-cli simulate hall.yaml
              ble-cli simulate everyday --bus unix:path=/run/test/bus
            """)

    @Argument(help: "The scenario: \(ScenarioArgument.choices).") var scenario = ScenarioArgument.standard

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Serve on the bus at this address, and start none.", valueName: "address"))
    var bus: String?

    func run() throws {
        let scenario = try ScenarioArgument.parse(scenario)
        if let bus, bus.trimmed.isEmpty {
            throw CLIError(.usage, "The address of the bus is empty. Give one such as unix:path=/run/test/bus.")
        }
        try SimulationProcess.run(scenario, bus: bus)
    }
}

/// The simulation in a process of its own, for other processes to use, until a signal ends it.
enum SimulationProcess {
    static func run(_ scenario: Scenario, bus: String?) throws(CLIError) -> Never {
        let privateBus: PrivateBus? = if bus == nil { try PrivateBus.start() } else { nil }
        let address = bus ?? privateBus?.address ?? ""
        var endBus: (@Sendable () -> Void)?
        if let privateBus { endBus = { privateBus.end() } }
        let simulation = ServedSimulation(scenario, address: address, endBus: endBus)
        let code = Guarded(ExitCode.interrupted)
        // Nobody need read the output: it is the bus that is served.
        simulation.start {
            try? FileOutput.standard.line("DBUS_SYSTEM_BUS_ADDRESS=\(address)")
        } over: { error in
            privateBus?.end()
            switch error?.kind {
            case nil, .busLost:
                try? FileOutput.standard.line(summary(of: simulation.bluez))
            case .badAddress, .noBus, .refused, .nameTaken: break
            }
            guard let error else { Exit.now(code.withLock { $0 }) }
            let failure = CLIError(error, address: address)
            Messages(output: FileOutput.error).fail(failure)
            Exit.now(failure.code)
        }
        let signal = Signals.next()
        code.withLock { $0 = signal }
        simulation.stop()
        // Who asks twice does not want to wait. The bus goes with this process in any case.
        Exit.now(Signals.next(after: .milliseconds(200)))
    }

    /// What a client is to have taken, and whether the computer was too slow for the scenario.
    private static func summary(of bluez: SimulatedBlueZ) -> String {
        let missed = bluez.advertisementsMissed
        return "Sent \(bluez.advertisementsSent) advertisements"
            + (missed == 0 ? "." : "; \(missed) more were due, but this computer was too slow.")
    }
}

extension CLIError {
    /// The failure that the end of a simulation on a bus is to the user.
    init(_ error: ServingError, address: String) {
        var why = error.message.trimmed
        while why.last == "." { why.removeLast() }
        if why.isEmpty { why = "it gives no reason" }
        let what = "The devices cannot be served at \(address)"
        let otherwise = "or leave --bus out for a bus of its own"
        switch error.kind {
        case .badAddress:
            self.init(.usage, "\(what): \(why). Give an address such as unix:path=/run/test/bus.")
        case .noBus:
            self.init(.unavailable, "\(what): \(why). Check that there is a bus, \(otherwise).")
        case .refused:
            self.init(.unavailable, "\(what): \(why). Let the bus's policy allow to own org.bluez, \(otherwise).")
        case .nameTaken:
            self.init(.failed, "\(what): \(why). End the program that has it, \(otherwise).")
        case .busLost:
            self.init(.unavailable, "The bus at \(address) has gone: \(why). Start the simulation again.")
        }
    }
}
