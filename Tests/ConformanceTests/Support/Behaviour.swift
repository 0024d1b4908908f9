import Foundation
import Testing

/// One thing that bluetoothd does, as a program of calls and what a client sees while it runs.
struct Behaviour: Sendable, CustomTestStringConvertible {
    /// All of them, in the order of the table.
    static let all =
        objects + discovery + filters + devices + connection + disconnection + reading + writing
        + notifications + sockets + rubbish + pairing + applications + advertisements
    /// All of them, or those that the environment asks for.
    static let wanted = all.filter { behaviour in
        guard let part = ProcessInfo.processInfo.environment["RXBLUETOOTH_BEHAVIOUR"] else { return true }
        return part.split(separator: "|").contains { behaviour.name.contains($0) }
    }

    /// In words, and unique.
    let name: String
    /// The numbers of the quirks that show in it.
    let quirks: [Int]
    /// What bluetoothd 5.66 shows, line by line.
    let transcript: [String]
    /// Where a ground shows something else and that is not mended, with the reason.
    let differences: [GroundName: Difference]
    /// The device that is connected when the program begins. In the lab the link may be that of an earlier program, and
    /// what was read then is still known; a program that minds that connects by itself.
    let link: String?
    let program: @Sendable (Trial) -> Void

    /// - Parameter transcript: What bluetoothd 5.66 shows, a line each, as ``Trial`` writes it down.
    init(
        _ name: String, _ quirks: Int..., linkedTo link: String? = nil, transcript: String,
        differences: [GroundName: Difference] = [:],
        program: @escaping @Sendable (Trial) -> Void
    ) {
        self.name = name
        self.quirks = quirks
        self.transcript = transcript.asLines
        self.differences = differences
        self.link = link
        self.program = program
    }

    var testDescription: String { name }
}

/// A difference between a ground and bluetoothd 5.66 that is known and not mended.
struct Difference: Sendable {
    /// Why it is left as it is.
    let reason: String
    /// What the ground shows instead.
    let transcript: [String]

    init(_ reason: String, transcript: String) {
        self.reason = reason
        self.transcript = transcript.asLines
    }
}

extension String {
    fileprivate var asLines: [String] { split(separator: "\n").map(String.init) }
}

/// The places where every behaviour is tried.
enum GroundName: String, CaseIterable, Sendable {
    /// The simulation on the bus within this process, in virtual time.
    case loopback = "simulation, in process"
    /// The simulation on a real message bus.
    case privateBus = "simulation, private bus"
    /// bluetoothd 5.66 and a kernel, in the virtual machine.
    case bluez = "bluetoothd 5.66"
}
