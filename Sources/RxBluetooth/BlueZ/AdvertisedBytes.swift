import DBus

/// Advertised data by company or service, which most devices send for one company or service only.
///
/// A single entry needs no dictionary. The representation depends only on the number of entries, so equal contents are
/// equal values.
enum AdvertisedBytes<Key: Hashable & Sendable>: Hashable, Sendable {
    case empty
    case one(Key, [UInt8])
    case several([Key: [UInt8]])

    init(_ entries: [Key: [UInt8]]) {
        self =
            switch entries.count {
            case 0: .empty
            case 1: entries.first.map { .one($0.key, $0.value) } ?? .empty
            default: .several(entries)
            }
    }

    /// All entries; makes a dictionary.
    var entries: [Key: [UInt8]] {
        switch self {
        case .empty: [:]
        case .one(let key, let bytes): [key: bytes]
        case .several(let entries): entries
        }
    }

    subscript(key: Key) -> [UInt8]? {
        switch self {
        case .empty: nil
        case .one(let only, let bytes): only == key ? bytes : nil
        case .several(let entries): entries[key]
        }
    }

    /// Replaces the data of a key.
    mutating func insert(_ bytes: [UInt8], for key: Key) {
        switch self {
        case .empty: self = .one(key, bytes)
        case .one(key, _): self = .one(key, bytes)
        case .one(let only, let old): self = .several([only: old, key: bytes])
        case .several(var entries):
            entries[key] = bytes
            self = .several(entries)
        }
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
        return result
    }
}
