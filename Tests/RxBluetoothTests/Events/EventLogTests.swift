import Logging
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

@testable import RxBluetooth

struct EventLogTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    private var queue: DeliveryQueue { DeliveryQueue(.immediate, on: scheduler) }

    /// Builds an event, and counts how many were built.
    private func event(_ made: inout Int) -> BluetoothEvent.Kind {
        made += 1
        return .signalForUnknownObject(total: made)
    }

    @Test(.proves(.S84)) func `An event that is neither observed nor logged is not built`() {
        let lines = KeptLog.Lines()
        var made = 0
        let silent = EventLog(silentLogger, .full, by: queue)
        silent.warning(event(&made))
        let eventLog = EventLog(KeptLog.logger(lines, level: .info), .full, by: queue)
        eventLog.debug(event(&made))
        eventLog.trace(event(&made))
        #expect(made == 0 && lines.all.isEmpty)
        eventLog.info(event(&made))
        #expect(made == 1 && lines.all.count == 1)
        let events = Recording(eventLog.events, scheduler)
        eventLog.trace(event(&made))
        scheduler.advanceBy(1)
        #expect(events.elements.map(\.kind) == [.signalForUnknownObject(total: 2)])
        #expect(lines.all.count == 1)
        events.dispose()
        eventLog.trace(event(&made))
        #expect(made == 2)
    }

    @Test func `A slow subscriber loses the oldest events and sees a gap in the numbers`() {
        let eventLog = EventLog(silentLogger, .redacted, by: queue)
        let events = Recording(eventLog.events, scheduler)
        for number in 1...2_000 { eventLog.trace(.signalForUnknownObject(total: number)) }
        scheduler.advanceBy(1)
        #expect(events.elements.map(\.number) == (977...2_000).map { UInt64($0) })
        #expect(events.isLive)
    }
}
