import RxBluetoothMocks
import Rx

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
