import Testing

@testable import RxBluetooth

/// The transitions of `ChannelState`, tested as a table and without a socket.
struct ChannelStateTests {
    private static let requested = BluetoothError(.disconnected(.requested))
    private static let closed = ChannelState.closed
    private static let refused = BluetoothError(.channelRefused)
    private static let parameters = L2CAPParameters(mtu: 100, receiveMTU: 200)
    private static let connected = ChannelState.Event.status(.connected(parameters))
    private static let ending: [ChannelState.Action] = [.cancelDeadline, .release]

    private static func state(_ events: ChannelState.Event..., isAccepted: Bool = false) -> ChannelState {
        var state = ChannelState(isAccepted: isAccepted)
        for event in (isAccepted ? [] : [.start]) + events { _ = state.handle(event) }
        return state
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let state: ChannelState
        let event: ChannelState.Event
        let phase: ChannelState.Phase
        let actions: [ChannelState.Action]

        init(
            _ state: ChannelState, _ event: ChannelState.Event, _ phase: ChannelState.Phase,
            _ actions: [ChannelState.Action] = []
        ) {
            (self.state, self.event, self.phase, self.actions) = (state, event, phase, actions)
        }

        var testDescription: String { "\(state.phase), \(event)" }
    }

    static let table: [Row] = [
        Row(ChannelState(), .start, .connecting, [.startOpenDeadline, .waitForConnection]),
        Row(state(), .status(.connecting), .connecting),
        Row(state(), connected, .open, [.cancelDeadline, .open(parameters)]),
        Row(state(), .status(.failed(refused)), .ended, ending + [.fail(refused)]),
        Row(state(), .openDeadline, .ended, ending + [.fail(BluetoothError(.timedOut))]),
        Row(state(), .dispose, .ended, ending),
        Row(state(), .lost(requested), .ended, ending + [.fail(requested)]),
        Row(state(), .close, .connecting),
        // The channel is open.
        Row(state(connected), connected, .open),
        Row(state(connected), .written, .open),
        Row(state(connected), .close, .finishing, [.startCloseDeadline, .waitForWrites]),
        Row(state(connected), .progress, .open),
        Row(state(connected), .closeDeadline, .open),
        Row(state(connected), .dispose, .draining, [.finishUsers(closed), .startCloseDeadline, .drain]),
        Row(state(connected), .socketEnded, .confirmingLink, [.confirmLink]),
        Row(state(connected), .lost(requested), .ended, ending + [.failUsers(requested), .fail(requested)]),
        Row(state(isAccepted: true), .socketEnded, .ended, ending + [.finishUsers(closed), .complete]),
        // The socket has ended.
        Row(
            state(connected, .socketEnded), .linkConfirmed(isUp: true), .ended,
            ending + [.finishUsers(closed), .complete]),
        Row(state(connected, .socketEnded), .linkConfirmed(isUp: false), .confirmingLink),
        Row(
            state(connected, .socketEnded), .lost(requested), .ended,
            ending + [.failUsers(requested), .fail(requested)]),
        Row(state(connected, .socketEnded), .dispose, .ended, ending + [.finishUsers(closed)]),
        // The channel is being closed.
        Row(state(connected, .close), .close, .finishing),
        Row(state(connected, .close), .progress, .finishing, [.startCloseDeadline]),
        Row(state(connected, .close), .closeDeadline, .ended, ending + [.finishUsers(closed), .complete]),
        Row(state(connected, .close), .written, .draining, [.startCloseDeadline, .drain]),
        Row(
            state(connected, .close), .dispose, .draining, [.finishUsers(closed), .startCloseDeadline, .drain]),
        Row(
            state(connected, .close, .socketEnded), .closeDeadline, .ended,
            ending + [.finishUsers(closed), .complete]),
        Row(state(connected, .close), .socketEnded, .confirmingLink, [.confirmLink]),
        Row(state(connected, .dispose), .drained, .ended, ending + [.finishUsers(closed), .complete]),
        Row(state(connected, .dispose), .closeDeadline, .ended, ending + [.finishUsers(closed), .complete]),
        Row(state(connected, .dispose), .lost(requested), .ended, ending + [.finishUsers(closed), .complete]),
        Row(state(connected, .dispose), .dispose, .draining),
        Row(state(connected, .dispose, .drained), .lost(requested), .ended),
    ]

    @Test(arguments: table) func `Each event of a channel gives the next phase and its actions`(row: Row) {
        var state = row.state
        #expect(state.handle(row.event) == row.actions)
        #expect(state.phase == row.phase)
    }
}
