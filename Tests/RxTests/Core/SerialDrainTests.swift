import Testing

@testable import Rx

/// The order of work if another thread has just left the drain.
///
/// These tests call the drain itself, because that moment is too short for a test of an operator.
@Suite struct SerialDrainTests {
    let drain = SerialDrain()
    let log = Log<Int>()

    @Test("Work that waits at a free drain runs before later work of the same thread")
    func workThatWaitsGoesFirst() {
        drain.enqueue { [log] in log.add(1) }
        drain.perform(on: drain) { [log] _ in log.add(2) }
        drain.perform(on: drain) { [log] _ in log.add(3) }
        #expect(log.all == [1, 2, 3])
    }

    @Test("Work from inside queued work runs at once, before other queued work")
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
