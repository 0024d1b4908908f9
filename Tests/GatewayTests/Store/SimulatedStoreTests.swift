import Gateway
import Testing

@Suite struct SimulatedStoreTests {
    @Test func `Messages keep their order and numbers`() throws {
        let store = SimulatedStore(identity: "s")
        try store.append([Publication("a", "1"), Publication("a", "2")])
        try store.append([Publication("a", "3")])
        try store.remove([2])

        #expect(try store.messages(after: 0, limit: 10).map(\.number) == [1, 3])
        #expect(try store.messages(after: 1, limit: 1).map(\.publication.text) == ["3"])
        #expect(store.summary.count == 2)
        #expect(store.summary.bytes == 4)
    }

    @Test func `A full store drops the oldest messages and counts them`() throws {
        let store = SimulatedStore(identity: "s", maximumBytes: 20)
        for number in 0..<15 { try store.append([Publication("a", "\(number % 10)")]) }

        #expect(store.summary.dropped == 5)
        #expect(store.summary.count == 10)
        #expect(try store.messages(after: 0, limit: 1).first?.number == 6)
    }

    @Test func `Numbers go on after many removals`() throws {
        let store = SimulatedStore(identity: "s")
        for number in 1...5000 {
            try store.append([Publication("a", "\(number)")])
            if number > 3 { try store.remove([Int64(number - 3)]) }
        }

        #expect(try store.messages(after: 0, limit: 10).map(\.publication.text) == ["4998", "4999", "5000"])
        #expect(try store.messages(after: 4999, limit: 10).map(\.number) == [5000])
    }

    @Test func `A failing store fails each call`() {
        let store = SimulatedStore(identity: "s")
        store.failure = StoreFailure(.full, "no space")
        #expect(throws: StoreFailure.self) { try store.append([Publication("a", "1")]) }
        #expect(throws: StoreFailure.self) { try store.messages(after: 0, limit: 1) }
        #expect(throws: StoreFailure.self) { try store.remove([1]) }
        store.failure = nil
        #expect(store.summary.count == 0)
    }
}
