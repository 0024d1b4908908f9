import Testing

@testable import RxBluetooth

/// The transitions of `PassiveScanState`, the state of the passive scans on an adapter, tested without a bus.
struct PassiveScanStateTests {
    private typealias Phase = PassiveScanState.Phase
    private static let late = BluetoothError(.timedOut)
    private static let off = BluetoothError(.poweredOff)
    private static let missing = BluetoothError(.unsupported)

    /// Returns the state after these events.
    private static func state(_ events: PassiveScanState.Event...) -> PassiveScanState {
        var state = PassiveScanState()
        for event in events { _ = state.handle(event) }
        return state
    }

    /// A transition to test: the state before it, the event, the phase after it, and the actions.
    struct Row: Sendable, CustomTestStringConvertible {
        let state: PassiveScanState
        let event: PassiveScanState.Event
        let phase: PassiveScanState.Phase
        let actions: [PassiveScanState.Action]

        init(
            _ state: PassiveScanState, _ event: PassiveScanState.Event, _ phase: PassiveScanState.Phase,
            _ actions: [PassiveScanState.Action] = []
        ) {
            self.state = state
            self.event = event
            self.phase = phase
            self.actions = actions
        }

        var testDescription: String { "\(state.phase), \(event)" }
    }

    private static let calling = Phase.starting(isRegistered: false)
    private static let waiting = Phase.starting(isRegistered: true)
    private static let active = Phase.active(isReplacing: false)
    private static let replacing = Phase.active(isReplacing: true)
    private static let stopping = Phase.stopping(isWanted: false)

    static let table: [Row] = idleRows + startingRows + activeRows + endingRows

    private static let idleRows: [Row] = [
        Row(state(), .wanted, calling, [.register]),
        Row(state(), .unwanted, .idle),
        Row(state(), .registered, .idle),
        Row(state(), .activated, .idle),
        Row(state(), .released, .idle),
        Row(state(), .refused(missing), .idle),
        Row(state(), .unregistered, .idle),
        Row(state(), .silent, .idle),
        Row(state(), .lost(off, isRegistered: true), .idle, [.failScans(off)]),
        Row(state(), .lost(off, isRegistered: false), .idle, [.removeApplication, .failScans(off)]),
        Row(state(), .closed(off), .idle, [.failScans(off)]),
    ]

    private static let startingRows: [Row] = [
        // `RegisterMonitor` has no reply yet.
        Row(state(.wanted), .wanted, calling),
        Row(state(.wanted), .patternsChanged, calling),
        Row(state(.wanted), .silent, calling),
        Row(state(.wanted), .registered, waiting, [.awaitActivation]),
        Row(state(.wanted), .activated, active, [.logBegan, .useNewMonitor, .updateMonitor]),
        Row(state(.wanted), .unwanted, stopping, [.unregister]),
        Row(
            state(.wanted), .registerFailed(missing), .idle,
            [.logRefused(missing), .removeApplication, .failScans(missing)]),
        Row(state(.wanted), .registerFailed(late), stopping, [.logRefused(late), .unregister, .failScans(late)]),
        Row(state(.wanted), .refused(missing), stopping, [.logRefused(missing), .unregister, .failScans(missing)]),
        Row(state(.wanted), .lost(off, isRegistered: true), stopping, [.unregister, .failScans(off)]),
        Row(state(.wanted), .lost(off, isRegistered: false), .idle, [.removeApplication, .failScans(off)]),
        Row(state(.wanted), .closed(off), stopping, [.unregister, .failScans(off)]),
        // The monitor is not active yet.
        Row(state(.wanted, .registered), .registered, waiting),
        Row(state(.wanted, .registered), .registerFailed(late), waiting),
        Row(state(.wanted, .registered), .activated, active, [.logBegan, .useNewMonitor, .updateMonitor]),
        Row(
            state(.wanted, .registered), .refused(late), stopping, [.logRefused(late), .unregister, .failScans(late)]),
        Row(state(.wanted, .registered), .unwanted, stopping, [.unregister]),
    ]

    private static let activeRows: [Row] = [
        Row(state(.wanted, .activated), .registered, active),
        Row(state(.wanted, .activated), .wanted, active, [.updateMonitor]),
        Row(state(.wanted, .activated), .patternsChanged, replacing, [.addMonitor]),
        Row(state(.wanted, .activated), .silent, replacing, [.logRestarted, .addMonitor]),
        Row(state(.wanted, .activated), .activated, active),
        Row(state(.wanted, .activated), .refused(missing), active),
        Row(state(.wanted, .activated), .released, .ending, [.explainRelease]),
        Row(state(.wanted, .activated), .unwanted, stopping, [.logEnded(nil), .unregister]),
        Row(
            state(.wanted, .activated), .lost(off, isRegistered: true), stopping,
            [.logEnded(off), .unregister, .failScans(off)]),
        Row(
            state(.wanted, .activated), .lost(off, isRegistered: false), .idle,
            [.logEnded(off), .removeApplication, .failScans(off)]),
        Row(state(.wanted, .activated), .closed(off), stopping, [.logEnded(nil), .unregister, .failScans(off)]),
        // Another monitor replaces the active one, and is not active yet.
        Row(state(.wanted, .activated, .patternsChanged), .patternsChanged, replacing),
        Row(state(.wanted, .activated, .patternsChanged), .silent, replacing),
        Row(
            state(.wanted, .activated, .patternsChanged), .activated, active, [.useNewMonitor, .updateMonitor]),
        Row(
            state(.wanted, .activated, .patternsChanged), .refused(missing), active,
            [.logRefused(missing), .removeNewMonitor, .failNewScans(missing)]),
        Row(state(.wanted, .activated, .patternsChanged), .released, .ending, [.explainRelease]),
        Row(
            state(.wanted, .activated, .patternsChanged), .unwanted, stopping, [.logEnded(nil), .unregister]),
    ]

    private static let endingRows: [Row] = [
        // bluetoothd has released the active monitor.
        Row(state(.wanted, .activated, .released), .wanted, .ending),
        Row(state(.wanted, .activated, .released), .released, .ending),
        Row(
            state(.wanted, .activated, .released), .releaseExplained(off), stopping,
            [.logEnded(off), .unregister, .failScans(off)]),
        Row(state(.wanted, .activated, .released), .unwanted, stopping, [.logEnded(nil), .unregister]),
        Row(
            state(.wanted, .activated, .released), .lost(off, isRegistered: false), .idle,
            [.logEnded(off), .removeApplication, .failScans(off)]),
        // `UnregisterMonitor` has no reply yet.
        Row(state(.wanted, .unwanted), .wanted, .stopping(isWanted: true)),
        Row(state(.wanted, .unwanted), .activated, stopping),
        Row(state(.wanted, .unwanted), .released, stopping),
        Row(state(.wanted, .unwanted), .releaseExplained(off), stopping),
        Row(state(.wanted, .unwanted), .unregistered, .idle),
        Row(state(.wanted, .unwanted, .wanted), .unregistered, calling, [.register]),
        Row(state(.wanted, .unwanted, .wanted), .unwanted, stopping),
        Row(state(.wanted, .unwanted, .wanted), .lost(off, isRegistered: true), stopping, [.failScans(off)]),
        Row(
            state(.wanted, .unwanted, .wanted), .lost(off, isRegistered: false), .idle,
            [.removeApplication, .failScans(off)]),
    ]

    @Test(arguments: table)
    func `An event leads to a phase and to actions`(_ row: Row) {
        var state = row.state
        #expect(state.handle(row.event) == row.actions)
        #expect(state.phase == row.phase)
    }

    @Test func `Each application has a number, and a lost one uses its number up`() {
        #expect(Self.state(.wanted).number == 1)
        #expect(Self.state(.wanted, .unwanted, .unregistered, .wanted).number == 2)
        #expect(Self.state(.wanted, .lost(Self.off, isRegistered: false)).number == 2)
    }

    @Test func `The deadline of Activate runs only while a monitor is expected to become active`() {
        #expect(!Self.state(.wanted).awaitsActivation)
        #expect(Self.state(.wanted, .registered).awaitsActivation)
        #expect(!Self.state(.wanted, .registered, .activated).awaitsActivation)
        #expect(Self.state(.wanted, .activated, .patternsChanged).awaitsActivation)
        #expect(!Self.state(.wanted, .registered, .unwanted).awaitsActivation)
    }
}
