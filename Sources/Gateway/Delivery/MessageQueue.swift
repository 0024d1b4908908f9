/// A queue of messages in which each operation at an end moves a message at most twice, whatever its length is.
///
/// Two stacks: an array would move or copy the other messages when one is removed at its front.
struct MessageQueue {
    /// The first messages, the first one last.
    private var front: [Publication] = []
    private var back: [Publication] = []

    var count: Int { front.count + back.count }
    var isEmpty: Bool { front.isEmpty && back.isEmpty }
    var first: Publication? { front.last ?? back.first }
    /// All messages in their order.
    var all: [Publication] { front.reversed() + back }

    mutating func append(_ publication: Publication) { back.append(publication) }

    /// Puts messages before all others.
    mutating func insert(_ publications: [Publication]) { front.append(contentsOf: publications.reversed()) }

    mutating func removeFirst() -> Publication? {
        if front.isEmpty {
            front = back.reversed()
            back = []
        }
        return front.popLast()
    }
}
