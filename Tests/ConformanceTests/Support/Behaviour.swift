import DaemonInterfaces
import Foundation
import Testing

/// A behaviour of bluetoothd: a program of calls, and the transcript of what clients receive.
struct Behaviour: Sendable, CustomTestStringConvertible {
    /// All behaviours, in the order of the table in `docs/conformance.md`.
    static let all =
        objects + discovery + filters + devices + connection + disconnection + reading + writing
        + notifications + sockets + invalidCalls + pairing + applications + advertisements + adapterPower
    /// The behaviours that `RXBLUETOOTH_BEHAVIOUR` selects; all if it is not set.
    static let wanted = all.filter { behaviour in
        guard let part = ProcessInfo.processInfo.environment["RXBLUETOOTH_BEHAVIOUR"] else { return true }
        return part.split(separator: "|").contains { behaviour.name.contains($0) }
    }

    /// A unique sentence that says what bluetoothd does.
    let name: String
    /// The numbers of the quirks that this behaviour shows.
    let quirks: [Int]
    /// The transcript of bluetoothd.
    let transcript: VersionedText
    /// The known differences from the transcript on each ground (a simulation or bluetoothd).
    let differences: [GroundName: Difference]
    /// The versions on which the program is not run, with the reasons.
    let exclusions: [Version: String]
    /// The device that is connected when the program begins.
    ///
    /// On bluetoothd, this can be the connection of an earlier program, with cached values. A program that needs a new
    /// connection names no device here, and connects by itself.
    let link: String?
    let program: @Sendable (Trial) -> Void

    /// - Parameters:
    ///   - transcript: The lines that bluetoothd shows, in the format of ``Trial`` and ``VersionedText``.
    ///   - exclusions: The versions on which the program is not run, with the reasons.
    init(
        _ name: String, _ quirks: Int..., linkedTo link: String? = nil, transcript: String,
        differences: [GroundName: Difference] = [:], excluding exclusions: [Version: String] = [:],
        program: @escaping @Sendable (Trial) -> Void
    ) {
        self.name = name
        self.quirks = quirks
        self.transcript = VersionedText(transcript)
        self.differences = differences
        self.exclusions = exclusions
        self.link = link
        self.program = program
    }

    var testDescription: String { name }
}

/// A known difference between a ground and bluetoothd.
struct Difference: Sendable {
    /// Why the difference is accepted.
    let reason: String
    /// The transcript that this ground has instead.
    let transcript: VersionedText

    init(_ reason: String, transcript: String) {
        self.reason = reason
        self.transcript = VersionedText(transcript)
    }
}

/// The grounds: the buses on which every behaviour runs.
enum GroundName: String, CaseIterable, Sendable {
    /// The simulation on a message bus within this process, in virtual time.
    case loopback = "simulation, in process"
    /// The simulation on a real message bus.
    case privateBus = "simulation, private bus"
    /// bluetoothd with a real kernel, in the virtual machine.
    case bluez = "bluetoothd"
}
