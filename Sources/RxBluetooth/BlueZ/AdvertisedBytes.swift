import DBus

/// Advertised data by company or service, which most devices send for one company or service only.
///
/// A single entry needs no dictionary. The representation depends only on the number of entries, so equal contents are
/// equal values.
enum AdvertisedBytes<Key: Hashable & Sendable>: Hashable, Sendable {
    case empty
    case one(Key, [UInt8])
    /// Few devices have several entries, so the others need no space for them.
    indirect case several(Entries)

    /// Data for several keys, with the order in which it changed.
    struct Entries: Hashable, Sendable {
        var data: [Key: [UInt8]]
        /// The keys, the one with the newest data last; empty if the order is not known.
        var order: [Key] = []
        /// The numbers of the readings in which data changed after the first one. Higher numbers have newer data.
        var changes: [Key: Int] = [:]

        /// The order does not count, so that equal contents are equal values.
        static func == (one: Self, other: Self) -> Bool { one.data == other.data }
        func hash(into hasher: inout Hasher) { hasher.combine(data) }
    }

    init(_ entries: [Key: [UInt8]]) {
        self =
            switch entries.count {
            case 0: .empty
            case 1: entries.first.map { .one($0.key, $0.value) } ?? .empty
            default: .several(Entries(data: entries))
            }
    }

    /// All entries; makes a dictionary.
    var entries: [Key: [UInt8]] {
        switch self {
        case .empty: [:]
        case .one(let key, let bytes): [key: bytes]
        case .several(let entries): entries.data
        }
    }

    /// The keys of several entries, the one with the newest data first; nil if the order is not known.
    var newestFirst: [Key]? {
        guard case .several(let entries) = self, entries.order.count == entries.data.count else { return nil }
        return entries.order.reversed()
    }

    /// The number of the reading in which the data of a key has changed last; 0 for the first reading.
    ///
    /// Data of several keys with the same number changed in one signal, so the newest is not known.
    func lastChange(of key: Key) -> Int {
        guard case .several(let entries) = self else { return 0 }
        return entries.changes[key] ?? 0
    }

    subscript(key: Key) -> [UInt8]? {
        switch self {
        case .empty: nil
        case .one(let only, let bytes): only == key ? bytes : nil
        case .several(let entries): entries.data[key]
        }
    }

    /// Replaces the data of a key.
    mutating func insert(_ bytes: [UInt8], for key: Key) {
        switch self {
        case .empty: self = .one(key, bytes)
        case .one(key, _): self = .one(key, bytes)
        case .one(let only, let old): self = .several(Entries(data: [only: old, key: bytes], order: [only, key]))
        case .several(var entries):
            entries.data[key] = bytes
            entries.order.removeAll { $0 == key }
            entries.order.append(key)
            self = .several(entries)
        }
    }

    // bluetoothd keeps entries of earlier advertisements in the dictionary, and adds new ones at its end. It does not
    // move an entry that is advertised again, so the first dictionary does not prove which entry is the newest.
    /// Moves the entries that differ from those before to the end of the order.
    private mutating func sortByChange(since old: Self) {
        guard case .several(var entries) = self else { return }
        let unchanged = { (key: Key) in old[key] == entries.data[key] }
        let (known, changes): ([Key], [Key: Int]) =
            switch old {
            case .several(let before): (before.order, before.changes)
            case .one(let key, _): ([key], [:])
            case .empty: ([], [:])
            }
        let kept = known.filter { entries.data[$0] != nil && unchanged($0) }
        entries.order = kept + entries.order.filter { !kept.contains($0) }
        if old != .empty {
            let number = (changes.values.max() ?? 0) + 1
            entries.changes = changes.filter { entries.data[$0.key] != nil }
            for key in entries.order where !unchanged(key) { entries.changes[key] = number }
        }
        self = .several(entries)
    }

    /// Reads a dictionary of data. Data that has not changed keeps its storage. Entries without a valid key are
    /// ignored.
    func updated(
        _ value: inout MessageReader, _ readKey: (inout MessageReader) throws(DBusError) -> Key?
    ) throws(DBusError) -> Self {
        var result = Self.empty
        try value.dictionary { (entry) throws(DBusError) in
            let key = try readKey(&entry)
            let old = key.flatMap { self[$0] } ?? []
            let bytes = try entry.variant { (content) throws(DBusError) in try content.bytes(reusing: old) }
            if let key { result.insert(bytes, for: key) }
        }
        result.sortByChange(since: self)
        return result
    }
}
