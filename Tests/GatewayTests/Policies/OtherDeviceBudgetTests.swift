import Testing

@testable import Gateway

struct OtherDeviceBudgetTests {
    @Test func `A new limit of messages has its own interval`() {
        var settings = OtherDeviceSettings()
        settings.messagesPerMinute = 60
        var budget = OtherDeviceBudget(settings)
        func takenReadings(at now: Duration) -> Int { (0..<500).count { _ in budget.takeReading(at: now) } }
        #expect(takenReadings(at: .zero) == 60)
        settings.messagesPerMinute = 120
        budget.settings = settings
        #expect(takenReadings(at: .zero) == 0)
        #expect(takenReadings(at: .seconds(10)) == 20)
    }

    @Test func `Above the limit of devices, only those in range are admitted`() {
        var settings = OtherDeviceSettings()
        settings.maximum = 2
        var budget = OtherDeviceBudget(settings)
        let admitted = [(false, 1), (false, 2), (true, 2)].map { isPresent, count in
            budget.admits(isPresent: isPresent, count: count, at: .zero)
        }
        #expect(admitted == [true, false, true])
        #expect(budget.ignoredAdvertisements == 1)
    }
}
