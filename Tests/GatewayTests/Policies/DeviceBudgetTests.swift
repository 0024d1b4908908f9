import RxBluetooth
import Testing

@testable import Gateway

struct DeviceBudgetTests {
    private struct Value: Hashable, Sendable {
        var kind: Int
        var number: Int
        var isKept = false
    }

    private static let device: BluetoothAddress = "A4:C1:38:00:00:01"

    private final class Setup {
        var budget = DeviceBudget<Value>(
            messagesPerMinute: 60, hasSameKind: { $0.kind == $1.kind }, isKept: { $0.isKept })

        func add(
            _ number: Int, kind: Int = 0, isKept: Bool = false,
            of address: BluetoothAddress = DeviceBudgetTests.device, at now: Duration = .zero
        ) -> [Int] {
            budget.add(Value(kind: kind, number: number, isKept: isKept), of: address, at: now).map(\.number)
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

    @Test(arguments: [2, 3]) func `Kinds that alternate are published in turn`(kinds: Int) {
        let setup = Setup()
        for number in 0..<60 { _ = setup.add(number) }
        var published: [Int] = []
        for step in 1...600 {
            let now = Duration.milliseconds(500) * step
            published += setup.due(at: now)
            published += setup.add(1_000 + step, kind: step % kinds, at: now)
        }
        #expect(published.count >= 299)
        for kind in 0..<kinds {
            let count = published.count { ($0 - 1_000) % kinds == kind }
            #expect(count >= 300 / kinds - 2, "kind \(kind): \(count)")
        }
    }

    @Test func `The newest value of 256 kinds waits, and further kinds are dropped`() {
        let setup = Setup()
        for number in 0..<60 { _ = setup.add(number) }
        for number in 0..<1_000 { _ = setup.add(number, kind: number) }
        _ = setup.add(2_000, kind: 7)
        #expect(setup.budget.ignoredMessages == 745)
        #expect(setup.budget.flush().map(\.number) == (0..<256).map { $0 == 7 ? 2_000 : $0 })
        #expect(setup.budget.flush() == [])
    }

    @Test func `Messages that are kept wait in their order, at most 16 of one kind`() {
        let setup = Setup()
        for number in 0..<60 { _ = setup.add(number) }
        _ = setup.add(100, isKept: true)
        for number in 101..<103 { _ = setup.add(number) }
        #expect(setup.budget.ignoredMessages == 1)
        #expect(setup.budget.flush().map(\.number) == [100, 102])
        for number in 200..<300 { _ = setup.add(number, isKept: true) }
        #expect(setup.budget.ignoredMessages == 85)
        #expect(setup.budget.flush().map(\.number) == Array(284..<300))
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
