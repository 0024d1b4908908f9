import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// The state that the steps of a script or a shell share.
struct StepSessionTests {
    /// Connects, turns notifications on, and runs until it is disposed of.
    private final class SubscribingVerb: Verb {
        let session = Guarded<StepSession?>(nil)

        var hasSubscriptions: Bool? { session.withLock { $0 }?.hasSubscriptions }

        func run(in context: CommandContext) -> Observable<Never> {
            let session = StepSession(context)
            self.session.withLock { $0 = session }
            return session.connect(.part("Strap"))
                .concat(
                    Observable.deferred {
                        session.subscribe(to: try session.connected().characteristic(.uuid(0x2A37)))
                    }
                )
                .concat(Observable.never())
        }
    }

    @Test func `A lost link ends the subscriptions of its session`() {
        let harness = CommandHarness()
        let bluez = harness.simulation.bluez
        let verb = SubscribingVerb()
        let states = Guarded<[Bool?]>([])
        harness.run(
            verb,
            meanwhile: [
                (10_000, { _ in states.withLock { $0.append(verb.hasSubscriptions) } }),
                (10_001, { _ in bluez.dropLink(to: "C0:FF:EE:00:00:01") }),
                (20_000, { _ in states.withLock { $0.append(verb.hasSubscriptions) } }),
            ])
        #expect(states.withLock { $0 } == [true, false])
    }
}
