import Testing

@testable import Gateway

struct RecencyTableTests {
    @Test func `Agrees with a simple model in random order`() {
        for seed in 0..<20 as Range<UInt64> {
            var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
            func random(_ bound: UInt64) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int((state >> 33) % bound)
            }
            var table = RecencyTable<Int, Int>(capacity: 5)
            var model: [(key: Int, value: Int)] = []
            for step in 0..<500 {
                let key = random(9)
                let index = model.firstIndex { $0.key == key }
                if random(4) == 0 {
                    #expect(table.remove(key) == index.map { model[$0].value })
                    if let index { model.remove(at: index) }
                } else {
                    let removed = table.use(key, default: step)
                    if let index {
                        model.append(model.remove(at: index))
                        #expect(removed == nil)
                    } else {
                        let oldest = model.count == 5 ? model.removeFirst() : nil
                        #expect(removed?.key == oldest?.key && removed?.value == oldest?.value)
                        model.append((key, step))
                    }
                }
                #expect(table.keys == model.map(\.key) && table.count == model.count)
                #expect(table.oldest?.value == model.first?.value)
            }
        }
    }

    @Test func `The heap returns keys by deadline`() {
        var heap = DeadlineHeap<Int>()
        for number in 0..<500 { heap.insert(number, at: .milliseconds(number * 7_919 % 1_009)) }
        var last = Duration.zero
        var count = 0
        while let entry = heap.removeFirst() {
            #expect(entry.deadline >= last && entry.deadline == .milliseconds(entry.key * 7_919 % 1_009))
            last = entry.deadline
            count += 1
        }
        #expect(count == 500 && heap.first == nil)
    }
}
