import BluetoothValues
import Testing

/// The conversion of a device's clock.
struct ClockTimeTests {
    private func seconds(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
        ClockTime(year: year, month: month, day: day).secondsSince1970
    }

    @Test(arguments: [1700, 1800, 1900, 2100, 2023, 2200])
    func `A year that is not a leap year has no 29 February`(year: Int) throws {
        #expect(seconds(year, 2, 29) == nil)
        let (last, next) = (try #require(seconds(year, 2, 28)), try #require(seconds(year, 3, 1)))
        #expect(next - last == 86_400)
    }

    @Test(arguments: [1600, 1904, 1996, 2000, 2024, 2096, 2400])
    func `A leap year has 29 days in February`(year: Int) throws {
        let days = try (28...29).map { try #require(seconds(year, 2, $0)) } + [try #require(seconds(year, 3, 1))]
        #expect(days[1] - days[0] == 86_400 && days[2] - days[1] == 86_400)
        #expect(seconds(year, 2, 30) == nil)
    }

    @Test func `Known dates have the seconds of the calendar`() {
        #expect(seconds(1970, 1, 1) == 0)
        #expect(seconds(2000, 3, 1) == 951_868_800)
        #expect(seconds(2100, 3, 1) == 4_107_542_400)
        #expect(seconds(1900, 3, 1) == -2_203_891_200)
        #expect(seconds(2025, 4, 31) == nil && seconds(2025, 12, 31) != nil && seconds(0, 1, 1) == nil)
    }
}
