import TestTraits
import Testing

@testable import RxBluetooth

/// The transitions of `StaleRepair`, tested as a table and without a bus.
struct StaleRepairTests {
    private typealias Facts = StaleRepair.Facts

    private static func state(_ events: StaleRepair.Event...) -> StaleRepair {
        var state = StaleRepair()
        for event in events { _ = state.handle(event, StaleRepair.Facts()) }
        return state
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let state: StaleRepair
        let event: StaleRepair.Event
        let facts: StaleRepair.Facts
        let phase: StaleRepair.Phase
        let actions: [StaleRepair.Action]

        init(
            _ name: String, _ state: StaleRepair, _ event: StaleRepair.Event, _ phase: StaleRepair.Phase,
            _ actions: [StaleRepair.Action] = [], if facts: StaleRepair.Facts = StaleRepair.Facts()
        ) {
            (self.name, self.state, self.event) = (name, state, event)
            (self.facts, self.phase, self.actions) = (facts, phase, actions)
        }

        var testDescription: String { name }
    }

    private static let waiting = state(.linkEnded)
    private static let removing = state(.linkEnded, .graceEnded)

    static let rows: [Row] = [
        Row("A link ends", state(), .linkEnded, .awaitingAnswers, [.startGrace]),
        Row("All operations are answered", waiting, .answered, .ended, [.cancelGrace, .finish]),
        Row("The device is removed", waiting, .deviceRemoved, .ended, [.cancelGrace, .finish]),
        Row("Operations stay unanswered", waiting, .graceEnded, .removing, [.removeDevice]),
        Row("The device has a bond", waiting, .graceEnded, .ended, [.record, .finish], if: Facts(isBonded: true)),
        Row(
            "Another program has connected", waiting, .graceEnded, .ended, [.record, .finish],
            if: Facts(isConnected: true)),
        Row("The adapter is off", waiting, .graceEnded, .ended, [.record, .finish], if: Facts(isAdapterOn: false)),
        Row("The device is gone", waiting, .graceEnded, .ended, [.finish], if: Facts(isShown: false)),
        Row("The removal succeeds", removing, .removalAnswered(isRemoved: true), .ended, [.finish]),
        Row("The removal fails", removing, .removalAnswered(isRemoved: false), .ended, [.record, .finish]),
        Row("An answer comes during the removal", removing, .answered, .removing),
        Row("The signal of the removal comes first", removing, .deviceRemoved, .removing),
        Row("A link is needed later", state(), .deviceNeeded, .removing, [.removeDevice]),
        Row(
            "A link is needed, and another program has one", state(), .deviceNeeded, .ended, [.finish],
            if: Facts(isConnected: true)),
        Row("A late timer", state(), .graceEnded, .ended),
    ]

    @Test(.proves(.Q126), arguments: rows)
    func `Each event gives the phase and the actions of its row`(_ row: Row) {
        var state = row.state
        #expect(state.handle(row.event, row.facts) == row.actions)
        #expect(state.phase == row.phase)
    }
}
