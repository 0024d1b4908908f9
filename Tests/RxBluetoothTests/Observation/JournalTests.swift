import Logging
import RxBluetoothMocks
import RxTest
import Testing

@testable import RxBluetooth

struct JournalTests {
    private let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)

    /// An event, and a note that it was made.
    private func event(_ made: inout Int) -> BluetoothEvent.Kind {
        made += 1
        return .messageStrayed(total: made)
    }

    @Test func `S84 What nobody watches, at a level that is not logged, is not even made`() {
        let lines = KeptLog.Lines()
        var made = 0
        let silent = Journal(silentLogger, .full, on: scheduler)
        silent.warning(event(&made))
        let journal = Journal(KeptLog.logger(lines, level: .info), .full, on: scheduler)
        journal.debug(event(&made))
        journal.trace(event(&made))
        #expect(made == 0 && lines.all.isEmpty)
        journal.info(event(&made))
        #expect(made == 1 && lines.all.count == 1)
        let events = Recording(journal.events, scheduler)
        journal.trace(event(&made))
        scheduler.advanceBy(1)
        #expect(events.elements.map(\.kind) == [.messageStrayed(total: 2)])
        #expect(lines.all.count == 1)
        events.dispose()
        journal.trace(event(&made))
        #expect(made == 2)
    }

    @Test func `A subscriber who is too slow loses the eldest events, and sees the gap`() {
        let journal = Journal(silentLogger, .redacted, on: scheduler)
        let events = Recording(journal.events, scheduler)
        for number in 1...2_000 { journal.trace(.messageStrayed(total: number)) }
        scheduler.advanceBy(1)
        #expect(events.elements.map(\.number) == (977...2_000).map { UInt64($0) })
        #expect(events.isLive)
    }
}
