import Testing

@testable import RxBluetooth

/// The transitions of `ScanState`, the state of a discovery session, tested without a bus.
struct ScanStateTests {
    private typealias Phase = ScanState.Phase
    private static let busy = BluetoothError(.busy)
    private static let late = BluetoothError(.timedOut)
    private static let off = BluetoothError(.poweredOff)
    private static let first = ScanState.pauses[0]

    /// Returns the state after these events.
    private static func state(_ events: ScanState.Event...) -> ScanState {
        var state = ScanState()
        for event in events { _ = state.handle(event) }
        return state
    }

    /// A transition to test: the state before it, the event, the phase after it, and the actions.
    struct Row: Sendable, CustomTestStringConvertible {
        let state: ScanState
        let event: ScanState.Event
        let phase: ScanState.Phase
        let actions: [ScanState.Action]

        init(_ state: ScanState, _ event: ScanState.Event, _ phase: ScanState.Phase, _ actions: [ScanState.Action] = [])
        {
            self.state = state
            self.event = event
            self.phase = phase
            self.actions = actions
        }

        var testDescription: String { "\(state.phase), \(event)" }
    }

    private static let calling = Phase.starting(refusals: 0, isPausing: false, isWanted: true)
    private static let unwantedCall = Phase.starting(refusals: 0, isPausing: false, isWanted: false)
    private static let pausing = Phase.starting(refusals: 1, isPausing: true, isWanted: true)

    static let table: [Row] = [
        // There is no discovery session.
        Row(state(), .wanted, calling, [.start]),
        Row(state(), .unwanted, .idle),
        Row(state(), .started, .idle),
        Row(state(), .stopped, .idle),
        Row(state(), .silent, .idle),
        Row(state(), .lateSessionStopped, .idle),
        Row(state(), .lost(off), .idle, [.failScans(off)]),
        Row(state(), .closed(off), .idle, [.failScans(off)]),
        // `StartDiscovery` has no reply yet.
        Row(state(.wanted), .wanted, calling),
        Row(state(.wanted), .unwanted, unwantedCall),
        Row(state(.wanted), .started, .active, [.logBegan, .updateFilter]),
        Row(state(.wanted), .pauseEnded, calling),
        Row(state(.wanted), .silent, calling),
        Row(
            state(.wanted), .startFailed(busy), pausing,
            [.logRefused(busy, again: first), .pause(first), .endOrphanedDiscovery]),
        Row(
            state(.wanted), .startFailed(off), .idle, [.logRefused(off, again: nil), .clearFilter, .failScans(off)]),
        Row(
            state(.wanted), .startFailed(late), .idle,
            [.logRefused(late, again: nil), .failScans(late), .stopLateSession]),
        Row(state(.wanted), .lost(off), .idle, [.failScans(off)]),
        Row(state(.wanted), .closed(off), unwantedCall, [.failScans(off)]),
        // `StartDiscovery` has no reply yet, and the last scan has been disposed of.
        Row(state(.wanted, .unwanted), .wanted, calling),
        Row(state(.wanted, .unwanted), .started, .stopping(isWanted: false), [.logBegan, .logEnded(nil), .stop]),
        Row(
            state(.wanted, .unwanted), .startFailed(busy), .idle,
            [.logRefused(busy, again: first), .clearFilter]),
        Row(
            state(.wanted, .unwanted), .startFailed(late), .idle, [.logRefused(late, again: nil), .stopLateSession]),
        // bluetoothd has refused the start, and a pause runs before the next attempt.
        Row(
            state(.wanted, .startFailed(busy)), .pauseEnded, .starting(refusals: 1, isPausing: false, isWanted: true),
            [.start]),
        Row(state(.wanted, .startFailed(busy)), .unwanted, .starting(refusals: 1, isPausing: true, isWanted: false)),
        Row(state(.wanted, .startFailed(busy), .unwanted), .pauseEnded, .idle, [.clearFilter]),
        Row(state(.wanted, .startFailed(busy)), .started, pausing),
        Row(state(.wanted, .startFailed(busy)), .startFailed(off), pausing),
        Row(
            state(.wanted, .startFailed(busy), .pauseEnded), .startFailed(busy),
            .starting(refusals: 2, isPausing: true, isWanted: true),
            [.logRefused(busy, again: ScanState.pauses[1]), .pause(ScanState.pauses[1])]),
        // `StartDiscovery` had no reply before its deadline, so a session may exist.
        Row(state(.wanted, .startFailed(late)), .lateSessionStopped, .idle, [.clearFilter]),
        Row(state(.wanted, .startFailed(late), .wanted), .lateSessionStopped, calling),
        Row(state(.wanted, .startFailed(late), .lost(off)), .lateSessionStopped, .idle),
        Row(
            state(.wanted, .startFailed(late), .wanted, .startFailed(busy), .unwanted), .pauseEnded, .idle),
        Row(
            state(.wanted, .startFailed(late), .wanted, .startFailed(busy), .lateSessionStopped, .unwanted),
            .pauseEnded, .idle, [.clearFilter]),
        // The discovery session is active.
        Row(state(.wanted, .started), .wanted, .active, [.updateFilter]),
        Row(state(.wanted, .started), .unwanted, .stopping(isWanted: false), [.logEnded(nil), .stop]),
        Row(state(.wanted, .started), .silent, .stopping(isWanted: true), [.logRestarted, .logEnded(nil), .stop]),
        Row(state(.wanted, .started), .lost(off), .idle, [.logEnded(off), .failScans(off)]),
        Row(
            state(.wanted, .started), .closed(off), .stopping(isWanted: false),
            [.logEnded(nil), .stop, .failScans(off)]),
        Row(state(.wanted, .started), .stopped, .active),
        // `StopDiscovery` has no reply yet.
        Row(state(.wanted, .started, .unwanted), .stopped, .idle, [.clearFilter]),
        Row(state(.wanted, .started, .unwanted), .wanted, .stopping(isWanted: true)),
        Row(state(.wanted, .started, .unwanted, .wanted), .stopped, calling, [.start]),
        Row(state(.wanted, .started, .silent), .unwanted, .stopping(isWanted: false)),
        Row(state(.wanted, .started, .silent), .stopped, calling, [.start]),
        Row(state(.wanted, .started, .unwanted), .lost(off), .idle, [.failScans(off)]),
        Row(state(.wanted, .started, .silent), .closed(off), .stopping(isWanted: false), [.failScans(off)]),
    ]

    @Test(arguments: table) func `Each event of a discovery session gives the next phase and its actions`(row: Row) {
        var state = row.state
        #expect(state.handle(row.event) == row.actions)
        #expect(state.phase == row.phase)
    }

    @Test func `A start that is always refused fails after the last pause`() {
        var state = Self.state(.wanted)
        for pause in ScanState.pauses {
            #expect(state.handle(.startFailed(Self.busy)).contains(.pause(pause)))
            #expect(state.handle(.pauseEnded) == [.start])
        }
        #expect(
            state.handle(.startFailed(Self.busy)) == [
                .logRefused(Self.busy, again: nil), .clearFilter, .failScans(Self.busy),
            ])
        #expect(state.phase == .idle)
    }

    @Test func `Each session and each loss increments the session number`() {
        var state = Self.state(.wanted, .started)
        #expect(state.number == 1)
        _ = state.handle(.silent)
        #expect(state.number == 1)
        _ = state.handle(.stopped)
        #expect(state.number == 2)
        _ = state.handle(.lost(Self.off))
        #expect(state.number == 3)
    }

    @Test func `A late session is stopped after each refusal until a stop succeeds`() {
        var state = Self.state(.wanted, .startFailed(Self.late), .wanted)
        #expect(state.handle(.startFailed(Self.busy)).last == .stopLateSession)
        _ = state.handle(.pauseEnded)
        #expect(state.handle(.startFailed(Self.busy)).last == .stopLateSession)
        _ = state.handle(.lateSessionStopped)
        _ = state.handle(.pauseEnded)
        #expect(state.handle(.startFailed(Self.busy)).last != .stopLateSession)
    }

    @Test func `A lost adapter has no late session`() {
        let state = Self.state(.wanted, .startFailed(Self.late), .lost(Self.off))
        #expect(!state.mayHaveLateSession)
    }

    @Test func `Only a start that is no longer wanted is being undone`() {
        #expect(!Self.state().isUndoing)
        #expect(!Self.state(.wanted).isUndoing)
        #expect(Self.state(.wanted, .unwanted).isUndoing)
        #expect(Self.state(.wanted, .startFailed(Self.busy), .unwanted).isUndoing)
        #expect(!Self.state(.wanted, .unwanted, .started).isUndoing)
        #expect(!Self.state(.wanted, .unwanted, .lost(Self.off)).isUndoing)
    }
}
