import Synchronization

/// How many advertisements were sent, and how many were due and were not; any thread may ask.
final class AdvertisementCounters: Sendable {
    private let number = Atomic(0)
    private let tooLate = Atomic(0)

    var count: Int { number.load(ordering: .relaxed) }
    var missed: Int { tooLate.load(ordering: .relaxed) }

    func countOne() { number.add(1, ordering: .relaxed) }

    func miss(_ count: Int) { tooLate.add(count, ordering: .relaxed) }
}
