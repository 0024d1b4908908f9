import DBus
import Testing

@testable import RxBluetooth

/// The transitions of `PairingState`, tested as tables and without a bus.
struct PairingStateTests {
    private static let off = BluetoothError(.poweredOff)
    private static let late = BluetoothError(.timedOut)
    private static let rejected = BluetoothError(.pairingFailed("authentication-failed"))
    private static let paired = BluetoothError(.alreadyDone)
    private static let busLost = BluetoothError(.busUnavailable, dbusName: DBusError.Name.disconnected)
    private static let turn = PairingState.Event.turnCame(isBonded: false)
    private static let services = PairingState.Event.servicesAwaited(isConnected: true, isBonded: false)

    /// Returns the state after these events. The actions are ignored.
    private static func state(_ events: PairingState.Event...) -> PairingState {
        var state = PairingState()
        for event in events { _ = state.handle(event) }
        return state
    }

    private static let waiting = state()
    private static let registering = state(turn)
    private static let linking = state(turn, .agentRegistered(nil))
    private static let reading = state(turn, .agentRegistered(nil), .linkUp)
    private static let pairing = state(turn, .agentRegistered(nil), .linkUp, services)
    private static let undoing = state(turn, .agentRegistered(nil), .linkUp, services, .unwanted)
    private static let ended = state(.unwanted)

    struct Row: Sendable, CustomTestStringConvertible {
        let state: PairingState
        let event: PairingState.Event
        let phase: PairingState.Phase
        let actions: [PairingState.Action]

        init(
            _ state: PairingState, _ event: PairingState.Event, _ phase: PairingState.Phase,
            _ actions: [PairingState.Action] = []
        ) {
            self.state = state
            self.event = event
            self.phase = phase
            self.actions = actions
        }

        var testDescription: String { "\(state.phase), \(event)" }
    }

    static let table: [Row] = [
        // The pairing waits, because another pairing of the manager runs.
        Row(waiting, turn, .preparing(.registeringAgent), [.startDeadline, .registerAgent]),
        Row(waiting, .turnCame(isBonded: true), .ended, [.endStreams(nil), .release]),
        Row(waiting, .failed(off), .ended, [.endStreams(off), .release]),
        Row(waiting, .unwanted, .ended, [.release]),
        Row(waiting, .agentRegistered(nil), .waiting),
        Row(waiting, .linkEnded(off, isPairingKept: false), .waiting),
        // The registration of the agent has no reply yet.
        Row(registering, .agentRegistered(nil), .preparing(.awaitingLink), [.findLink]),
        Row(registering, .agentRegistered(off), .ended, [.endStreams(off), .release]),
        Row(registering, .failed(late), .ended, [.endStreams(late), .release]),
        Row(registering, .unwanted, .ended, [.release]),
        Row(registering, turn, .preparing(.registeringAgent)),
        Row(registering, .linkUp, .preparing(.registeringAgent)),
        // The link is not up yet.
        Row(linking, .linkUp, .preparing(.readingServices), [.readServices]),
        Row(linking, .unusableLinkClosed, .preparing(.awaitingLink), [.findLink]),
        Row(linking, .linkEnded(off, isPairingKept: false), .ended, [.endStreams(off), .release]),
        Row(linking, .failed(late), .ended, [.endStreams(late), .release]),
        Row(linking, .unwanted, .ended, [.release]),
        Row(linking, .agentRegistered(nil), .preparing(.awaitingLink)),
        // The services of the peripheral are not read yet.
        Row(reading, services, .pairing, [.pair]),
        Row(
            reading, .servicesAwaited(isConnected: true, isBonded: true), .ended, [.endStreams(nil), .release]),
        Row(reading, .servicesAwaited(isConnected: false, isBonded: false), .preparing(.readingServices)),
        Row(reading, .linkEnded(off, isPairingKept: false), .ended, [.endStreams(off), .release]),
        Row(reading, .linkEnded(off, isPairingKept: true), .ended, [.endStreams(off), .release]),
        Row(reading, .failed(late), .ended, [.endStreams(late), .release]),
        Row(reading, .unwanted, .ended, [.release]),
        Row(reading, .unusableLinkClosed, .preparing(.readingServices)),
        // `Pair` has no reply yet.
        Row(pairing, .answered(nil, isConnected: true), .ended, [.logPaired, .endStreams(nil), .release]),
        Row(pairing, .answered(nil, isConnected: false), .ended, [.logPaired, .endStreams(nil), .release]),
        Row(pairing, .answered(paired, isConnected: true), .ended, [.logPaired, .endStreams(nil), .release]),
        Row(pairing, .answered(rejected, isConnected: true), .ended, [.endStreams(rejected), .release]),
        Row(pairing, .answered(late, isConnected: true), .undoing, [.endStreams(late), .cancelPairing]),
        Row(pairing, .answered(rejected, isConnected: false), .pairing),
        Row(pairing, .answered(busLost, isConnected: true), .pairing),
        Row(pairing, .linkEnded(off, isPairingKept: false), .ended, [.endStreams(off), .release]),
        Row(pairing, .linkEnded(off, isPairingKept: true), .undoing, [.endStreams(off), .cancelPairing]),
        Row(pairing, .failed(late), .undoing, [.endStreams(late), .cancelPairing]),
        Row(pairing, .unwanted, .undoing, [.cancelPairing]),
        Row(pairing, services, .pairing),
        Row(pairing, .cancelled, .pairing),
        // `CancelPairing` has no reply yet.
        Row(undoing, .cancelled, .ended, [.release]),
        Row(undoing, .answered(nil, isConnected: true), .undoing),
        Row(undoing, .linkEnded(off, isPairingKept: false), .undoing),
        Row(undoing, .failed(off), .undoing),
        Row(undoing, .unwanted, .undoing),
    ]

    @Test(arguments: table) func `Each event gives the next phase and its actions`(row: Row) {
        var state = row.state
        #expect(state.handle(row.event) == row.actions)
        #expect(state.phase == row.phase)
        #expect(state.isOver == [.undoing, .ended].contains(state.phase.step))
    }

    @Test(arguments: table.map(\.event)) func `An ended pairing ignores every event`(event: PairingState.Event) {
        var state = Self.ended
        #expect(state.handle(event) == [])
        #expect(state.phase == .ended)
    }

    @Test(arguments: [waiting, registering, linking, reading, pairing, undoing])
    func `The link of a pairing is released once`(state: PairingState) {
        var state = state
        let actions = [
            .unwanted, .cancelled, .unwanted, .failed(Self.late), .linkEnded(Self.off, isPairingKept: true),
        ].flatMap {
            state.handle($0)
        }
        #expect(actions.count { $0 == .release } == 1)
        #expect(state.phase == .ended)
    }
}
