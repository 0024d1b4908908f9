import Logging
import RxBluetoothMocks
import RxTest
import TestTraits
import Testing

@testable import RxBluetooth

struct EventLogTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    /// An event, and a note that it was made.
    private func event(_ made: inout Int) -> BluetoothEvent.Kind {
        made += 1
        return .signalForUnknownObject(total: made)
    }

    @Test(.proves(.S84)) func `What nobody watches, at a level that is not logged, is not even made`() {
        let lines = KeptLog.Lines()
        var made = 0
        let silent = EventLog(silentLogger, .full, on: scheduler)
        silent.warning(event(&made))
        let eventLog = EventLog(KeptLog.logger(lines, level: .info), .full, on: scheduler)
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

    @Test func `A subscriber who is too slow loses the eldest events, and sees the gap`() {
        let eventLog = EventLog(silentLogger, .redacted, on: scheduler)
        let events = Recording(eventLog.events, scheduler)
        for number in 1...2_000 { eventLog.trace(.signalForUnknownObject(total: number)) }
        scheduler.advanceBy(1)
        #expect(events.elements.map(\.number) == (977...2_000).map { UInt64($0) })
        #expect(events.isLive)
    }
}
