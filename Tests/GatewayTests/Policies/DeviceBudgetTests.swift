import RxBluetooth
import Testing

@testable import Gateway

struct DeviceBudgetTests {
    private struct Value: Hashable, Sendable {
        var kind: Int
        var number: Int
    }

    private static let device: BluetoothAddress = "A4:C1:38:00:00:01"

    private final class Setup {
        var budget = DeviceBudget<Value>(messagesPerMinute: 60) { $0.kind == $1.kind }

        func add(
            _ number: Int, kind: Int = 0, of address: BluetoothAddress = DeviceBudgetTests.device,
            at now: Duration = .zero
        ) -> [Int] {
            budget.add(Value(kind: kind, number: number), of: address, at: now).map(\.number)
        }

        func due(at now: Duration) -> [Int] { budget.due(at: now).map(\.number) }
    }

    @Test func `Above the limit, the newest value of each kind waits`() {
        let setup = Setup()
        for number in 0..<60 { #expect(setup.add(number) == [number]) }
        for number in 60..<1_000 { #expect(setup.add(number, kind: number % 2) == []) }
        #expect(setup.budget.ignoredMessages == 938)
        #expect(setup.budget.nextDeadline == .seconds(1))
        #expect(setup.due(at: .seconds(1)) == [998])
        #expect(setup.budget.nextDeadline == .seconds(2))
        #expect(setup.add(1_000, at: .seconds(2)) == [999])
        #expect(setup.due(at: .seconds(3)) == [1_000])
    }

    @Test func `Another device has its own limit`() {
        let setup = Setup()
        for number in 0..<100 { _ = setup.add(number) }
        let other = setup.add(1, of: "A4:C1:38:00:00:02")
        #expect(other.count == 1)
    }

    @Test func `At most 16 kinds of messages wait`() {
        let setup = Setup()
        for number in 0..<60 { _ = setup.add(number) }
        for number in 0..<1_000 { _ = setup.add(number, kind: number) }
        #expect(setup.budget.flush().map(\.number) == Array(984..<1_000))
        #expect(setup.budget.ignoredMessages == 984)
        #expect(setup.budget.flush() == [])
    }

    @Test func `One notice says that a limit is exceeded, and one that this has ended`() {
        let setup = Setup()
        for number in 0..<1_000 { _ = setup.add(number) }
        #expect(setup.budget.takeNotices(at: .zero) == [.tooManyDeviceMessages(Self.device, limit: 60)])
        _ = setup.add(1_000)
        #expect(setup.budget.takeNotices(at: .seconds(1)) == [])
        _ = setup.due(at: .seconds(1))
        #expect(setup.budget.nextDeadline == .seconds(60))
        #expect(setup.budget.takeNotices(at: .seconds(60)) == [.deviceMessagesFit(ignored: 940)])
        #expect(setup.budget.nextDeadline == nil)
    }
}
