/// The streams that tell something of a link for as long as it lasts, and fail with it.
final class LinkStreams {
    private var ends: [Int: (BluetoothError) -> Void] = [:]
    private var count = 0

    /// Takes a stream in. `undo` runs when it ends, with the link's cause where that ended it.
    func add<Element>(
        _ emitter: Emitter<Element>, during operation: BluetoothError.Operation, _ target: String,
        undo: @escaping (BluetoothError?) -> Void
    ) {
        count += 1
        let number = count
        var cause: BluetoothError?
        ends[number] = {
            cause = $0
            emitter.fail($0.during(operation, target))
        }
        emitter.onEnd { [weak self] in
            self?.ends[number] = nil
            undo(cause)
        }
    }

    func fail(_ cause: BluetoothError) {
        let all = ends.sorted { $0.key < $1.key }
        ends = [:]
        for (_, end) in all { end(cause) }
    }
}
