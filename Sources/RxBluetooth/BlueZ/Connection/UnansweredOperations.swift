import DBus

/// The operations of a link that bluetoothd has not answered, also after their deadline and after the end of the link.
///
/// bluetoothd answers every operation at the latest when the link ends, unless it has lost the operation (Q126).
final class UnansweredOperations {
    /// What an operation occupies in bluetoothd: a method of an attribute.
    struct Slot: Hashable {
        let path: String
        let method: String

        /// Returns whether the object is that of a path, or below it.
        func isAt(_ path: String) -> Bool { (self.path + "/").hasPrefix(path + "/") }
    }

    private struct Entry {
        let slot: Slot
        /// The call, which waits for a late reply.
        var call: BusTask?
        /// Whether bluetoothd requested a pairing for the operation.
        var needsPairing = false
    }

    private var entries: [UInt64: Entry] = [:]
    /// Runs once when the last operation is answered or forgotten.
    private var onEmpty: [() -> Void] = []

    init() {}

    /// Makes the operations that an earlier process has recorded. They have no call.
    init(_ recorded: [LostOperationFile.Entry]) {
        for (index, entry) in recorded.enumerated() {
            entries[UInt64(index)] = Entry(slot: entry.slot, needsPairing: entry.needsPairing)
        }
    }

    /// The operations as they are recorded for other processes.
    var recorded: [LostOperationFile.Entry] {
        entries.values.map { LostOperationFile.Entry(slot: $0.slot, needsPairing: $0.needsPairing) }
    }

    var isEmpty: Bool { entries.isEmpty }

    /// Whether an operation waits for a pairing.
    var needsPairing: Bool { entries.values.contains(where: \.needsPairing) }

    /// Whether a request for a notification socket has no answer.
    var hasSocketRequest: Bool { entries.values.contains { $0.slot.method == "AcquireNotify" } }

    func insert(_ number: UInt64, _ message: Message) {
        if let slot = Slot(message) { entries[number] = Entry(slot: slot) }
    }

    /// Sets the call of an operation, so that it ends with the operation.
    func setCall(_ call: BusTask, of number: UInt64) { entries[number]?.call = call }

    func contains(_ number: UInt64) -> Bool { entries[number] != nil }

    /// Records that bluetoothd has answered an operation, or has given it up.
    func remove(_ number: UInt64) { removeAll { id, _ in id == number } }

    /// Returns whether there are operations on an attribute, or on its descriptors.
    func contains(path: String) -> Bool { entries.values.contains { $0.slot.isAt(path) } }

    /// Forgets the operations on an attribute that bluetoothd has removed, and on its descriptors.
    func removeAll(at path: String) { removeAll { _, entry in entry.slot.isAt(path) } }

    /// Forgets all operations, because bluetoothd has removed the device.
    func removeAll() { removeAll { _, _ in true } }

    private func removeAll(where isRemoved: (UInt64, Entry) -> Bool) {
        guard !entries.isEmpty else { return }
        for (number, entry) in entries where isRemoved(number, entry) {
            entries[number] = nil
            entry.call?.cancel()
        }
        guard entries.isEmpty else { return }
        let work = onEmpty
        onEmpty = []
        for action in work { action() }
    }

    /// Records that bluetoothd has requested a pairing for an operation.
    func markPairing(_ number: UInt64) { entries[number]?.needsPairing = true }

    /// Records that the device is paired, so that bluetoothd continues the operations.
    func paired() {
        for number in entries.keys { entries[number]?.needsPairing = false }
    }

    /// Returns whether the operation that occupies a slot needs pairing; nil if none does.
    func needsPairing(of slot: Slot) -> Bool? { entries.values.first { $0.slot == slot }?.needsPairing }

    /// Runs work when all operations are answered or forgotten.
    func whenEmpty(_ work: @escaping () -> Void) { onEmpty.append(work) }
}

extension UnansweredOperations.Slot {
    init?(_ message: Message) {
        guard let path = message.path, let method = message.member else { return nil }
        self.init(path: path.description, method: method)
    }
}
