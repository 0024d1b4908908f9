import Testing

@testable import Rx

/// The order of work at a drain that other threads have just left. The moment is so short that no test from outside meets it.
@Suite struct SerialDrainTests {
    let drain = SerialDrain()
    let log = Log<Int>()

    @Test("Work that waits at a free drain is done before later work of the same thread")
    func workThatWaitsGoesFirst() {
        drain.enqueue { [log] in log.add(1) }
        drain.perform(on: drain) { [log] _ in log.add(2) }
        drain.perform(on: drain) { [log] _ in log.add(3) }
        #expect(log.all == [1, 2, 3])
    }

    @Test("An event that comes from inside waiting work is done at once, before what still waits")
    func eventsFromInside() {
        let inside = UncheckedTransfer(drain)
        drain.enqueue { [log] in
            log.add(1)
            inside.value.perform(on: inside.value) { _ in log.add(2) }
        }
        drain.enqueue { [log] in log.add(3) }
        drain.runQueued()
        #expect(log.all == [1, 2, 3])
        guard case .first = drain.enter() else {
            Issue.record("The drain is free.")
            return
        }
        drain.leave()
    }
}
