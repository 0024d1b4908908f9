import Testing

@testable import RxBluetooth

/// The state machine of the subscription to the properties of devices.
struct DeviceSignalsStateTests {
    private typealias Action = DeviceSignalsState.Action

    /// Handles events. Returns the actions of the last one.
    private func actions(_ events: DeviceSignalsState.Event...) -> [Action] {
        var state = DeviceSignalsState()
        return events.map { state.handle($0) }.last ?? []
    }

    private func state(_ events: DeviceSignalsState.Event...) -> DeviceSignalsState {
        var state = DeviceSignalsState()
        for event in events { _ = state.handle(event) }
        return state
    }

    @Test func `The subscription ends after a pause without need`() {
        #expect(actions(.unneeded) == [.startTimer(.seconds(5))])
        #expect(actions(.unneeded, .unneeded) == [])
        #expect(actions(.unneeded, .needed) == [.cancelTimer])
        #expect(actions(.unneeded, .timerFired) == [.unsubscribe])
        #expect(state(.unneeded).isUsable && !state(.unneeded, .timerFired).isUsable)
    }

    @Test func `A need subscribes before it reads`() {
        #expect(actions(.unneeded, .timerFired, .needed) == [.subscribe, .read])
        #expect(actions(.unneeded, .timerFired, .needed, .needed) == [])
        #expect(!state(.unneeded, .timerFired, .needed).isUsable)
        #expect(actions(.unneeded, .timerFired, .needed, .read) == [.runWaiting])
        #expect(state(.unneeded, .timerFired, .needed, .read) == DeviceSignalsState())
    }

    @Test func `A failed reading is repeated after growing pauses, and nothing waits for it`() {
        var state = state(.unneeded, .timerFired, .needed)
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(state.handle(.readFailed) == [.startTimer(.seconds(pause)), .runWaiting])
            #expect(state.isUsable)
            #expect(state.handle(.unneeded) == [])
            #expect(state.handle(.timerFired) == [.read])
        }
        #expect(state.handle(.read) == [.runWaiting])
        #expect(state == DeviceSignalsState())
    }

    @Test func `The loss of bluetoothd returns to the subscription`() {
        #expect(actions(.lost) == [])
        #expect(actions(.unneeded, .lost) == [.cancelTimer])
        #expect(actions(.unneeded, .timerFired, .lost) == [.subscribe])
        #expect(actions(.unneeded, .timerFired, .needed, .lost) == [.cancelReading, .runWaiting])
        #expect(actions(.unneeded, .timerFired, .needed, .readFailed, .lost) == [.cancelTimer])
        #expect(state(.unneeded, .timerFired, .needed, .lost) == DeviceSignalsState())
    }
}
