/// What lets a silent controller report advertisements again. Stronger remedies include the weaker ones.
public enum ControllerRemedy: Int, CaseIterable, Comparable, Sendable {
    /// The kernel starts a discovery.
    case discoveryStart
    /// The adapter is switched on.
    case powerOn
    /// rfkill unblocks the adapter.
    case unblock
    /// The adapter is plugged in.
    case plugIn

    public static func < (one: ControllerRemedy, other: ControllerRemedy) -> Bool { one.rawValue < other.rawValue }
}

/// Controls of faults after which nothing is received, although everything looks as if the adapter scanned (Q42).
extension SimulatedBlueZ {
    /// Lets the controller of `hciN` report no advertisement until it gets a remedy.
    ///
    /// bluetoothd does not notice it. Other adapters still receive. A crash of bluetoothd is no remedy.
    ///
    ///     simulation.bluez.silenceController(until: .powerOn)
    public func silenceController(_ number: Int = 0, until remedy: ControllerRemedy) {
        control { environment, _ in environment.radio.silence(number, until: remedy) }
    }

    /// Ends the silence of the controller of `hciN` by itself.
    public func endSilence(of number: Int = 0) {
        control { environment, _ in environment.radio.remedy(.plugIn, for: number) }
    }

    /// Lets the management sockets that are open now receive nothing more. They stay open.
    public func deafenManagementSockets() {
        control { environment, _ in environment.management.deafen() }
    }

    /// Lets all management sockets receive nothing, also those that are opened later, until this is switched off.
    public func setManagementDeaf(_ isDeaf: Bool) {
        control { environment, _ in environment.management.isDeaf = isDeaf }
    }
}
