/// Decides which values of a published characteristic are sent, and when, without bus calls.
///
/// An event changes the queue and returns the actions that follow from it, in order. Values are sent in batches: the
/// next batch follows when bluetoothd has received the last one or, for an indication, when a central has confirmed it.
struct UpdateQueue {
    enum Event: Equatable {
        case subscribed
        /// The last central has unsubscribed.
        case unsubscribed
        case added(id: Int, value: [UInt8])
        /// The batch was received or confirmed.
        case received(batch: Int)
        /// The batch was neither received nor confirmed in time.
        case timedOut(batch: Int)
        /// The result of a value is no longer needed. If the value waits, it is not sent.
        case cancelled(id: Int)
    }

    enum Action: Equatable {
        case send([UInt8])
        /// Waits until bluetoothd has received the batch, or until a central has confirmed it.
        case awaitReceipt(batch: Int)
        /// The value was sent (true), or is not sent (false).
        case finish(id: Int, wasSent: Bool)
        case fail(id: Int, BluetoothError.Kind)
    }

    private struct Item {
        let id: Int
        let value: [UInt8]
    }

    /// How many values are sent before bluetoothd has received them.
    private static let batchSize = 16

    /// Whether each value is confirmed by a central.
    let isConfirmed: Bool
    let buffer: ValueBuffer
    private(set) var isSubscribed = false
    private(set) var batch = 0
    private var waiting: [Item] = []
    /// The values of the present batch. The batch is received if there are none.
    private var sent: [Int] = []

    init(isConfirmed: Bool, buffer: ValueBuffer) {
        self.isConfirmed = isConfirmed
        self.buffer = buffer
    }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .subscribed:
            isSubscribed = true
            return []
        case .unsubscribed:
            isSubscribed = false
            defer { (sent, waiting) = ([], []) }
            return (sent + waiting.map(\.id)).map { .finish(id: $0, wasSent: false) }
        case .added(let id, let value): return add(Item(id: id, value: value))
        case .received(let batch):
            guard batch == self.batch, !sent.isEmpty else { return [] }
            return finishBatch { .finish(id: $0, wasSent: true) }
        case .timedOut(let batch):
            guard batch == self.batch, !sent.isEmpty else { return [] }
            return finishBatch { .fail(id: $0, .timedOut) }
        case .cancelled(let id):
            waiting.removeAll { $0.id == id }
            return []
        }
    }

    private mutating func add(_ item: Item) -> [Action] {
        guard isSubscribed else { return [.finish(id: item.id, wasSent: false)] }
        var actions: [Action] = []
        if waiting.count >= buffer.capacity {
            switch buffer.overflow {
            case .fail: return [.fail(id: item.id, .overflow)]
            case .dropNewest: return [.finish(id: item.id, wasSent: false)]
            case .dropOldest: actions.append(.finish(id: waiting.removeFirst().id, wasSent: false))
            }
        }
        waiting.append(item)
        return actions + sendNext()
    }

    private mutating func finishBatch(_ result: (Int) -> Action) -> [Action] {
        let ended = sent.map(result)
        sent = []
        return ended + sendNext()
    }

    private mutating func sendNext() -> [Action] {
        guard sent.isEmpty, !waiting.isEmpty else { return [] }
        let items = waiting.prefix(isConfirmed ? 1 : Self.batchSize)
        waiting.removeFirst(items.count)
        sent = items.map(\.id)
        batch += 1
        return items.map { .send($0.value) } + [.awaitReceipt(batch: batch)]
    }
}
