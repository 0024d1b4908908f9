import Testing

@testable import Rx

/// The order of work at a gate that other threads have just left. The moment is so short that no test from outside meets it.
@Suite struct GateTests {
    let gate = Gate()
    let log = Log<Int>()

    @Test("Work that waits at a free gate is done before later work of the same thread")
    func workThatWaitsGoesFirst() {
        gate.append { [log] in log.add(1) }
        gate.pass(gate) { [log] _ in log.add(2) }
        gate.pass(gate) { [log] _ in log.add(3) }
        #expect(log.all == [1, 2, 3])
    }

    @Test("An event that comes from inside waiting work is done at once, before what still waits")
    func eventsFromInside() {
        let inside = Ferry(gate)
        gate.append { [log] in
            log.add(1)
            inside.value.pass(inside.value) { _ in log.add(2) }
        }
        gate.append { [log] in log.add(3) }
        gate.serve()
        #expect(log.all == [1, 2, 3])
        guard case .first = gate.enter() else {
            Issue.record("The gate is free.")
            return
        }
        gate.leave()
    }
}
