import DBus

/// The properties of a D-Bus interface: how to read each into a record, and how to clear it.
///
/// Every property is optional (Q20). A property of a wrong type keeps its old value and is counted; the other
/// properties are read.
struct PropertyTable<Record>: Sendable {
    /// One row: how to read and how to clear one property.
    struct Row: Sendable {
        let name: [UInt8]
        let read: @Sendable (inout Record, inout MessageReader) throws(DBusError) -> Void
        let clear: @Sendable (inout Record) -> Void

        init(
            _ name: StaticString, clear: @escaping @Sendable (inout Record) -> Void,
            _ read: @escaping @Sendable (inout Record, inout MessageReader) throws(DBusError) -> Void
        ) {
            self.name = Array(name.description.utf8)
            self.read = read
            self.clear = clear
        }
    }

    let rows: [Row]

    init(_ rows: [Row]) {
        precondition(rows.count <= 64, "A set of changes has room for 64 properties.")
        self.rows = rows
    }

    /// Returns the set of the rows with these names. Traps if a name has no row.
    func changes(_ names: [String]) -> Changes {
        var changes = Changes()
        for name in names {
            guard let row = rows.firstIndex(where: { $0.name == Array(name.utf8) }) else {
                preconditionFailure("There is no row for the property “\(name)”.")
            }
            changes.insert(row)
        }
        return changes
    }

    /// Reads a dictionary of properties into a record. Returns the rows of the properties that were read.
    ///
    /// Adds the number of properties of a wrong type to `rejected`.
    func read(
        _ body: inout MessageReader, into record: inout Record, rejected: inout Int
    ) throws(DBusError) -> Changes {
        var changes = Changes()
        var failures = 0
        try body.properties { (name, value) throws(DBusError) in
            guard let row = index(of: name) else { return }
            try rows[row].read(&record, &value)
            changes.insert(row)
        } failed: { _, _ in
            failures += 1
        }
        rejected += failures
        return changes
    }

    /// Clears the properties that a signal lists as invalidated (Q21). Returns their rows.
    func clear(_ body: inout MessageReader, in record: inout Record) throws(DBusError) -> Changes {
        var changes = Changes()
        try body.array { (name) throws(DBusError) in
            guard let row = try name.withString({ index(of: $0) }) else { return }
            rows[row].clear(&record)
            changes.insert(row)
        }
        return changes
    }

    private func index(of name: Span<UInt8>) -> Int? {
        search: for row in rows.indices where rows[row].name.count == name.count {
            for position in name.indices where rows[row].name[position] != name[position] { continue search }
            return row
        }
        return nil
    }
}

/// The changed rows of a property table.
struct Changes: Sendable {
    private var bits: UInt64 = 0

    var isEmpty: Bool { bits == 0 }
    mutating func insert(_ row: Int) { bits |= 1 << UInt64(row) }
    mutating func formUnion(_ other: Changes) { bits |= other.bits }
    func intersects(_ other: Changes) -> Bool { bits & other.bits != 0 }
}
