import DBus

/// One interface of one object, with its pending changes.
class ServedInterface {
    let name: String
    fileprivate(set) var pending: [Int] = []
    /// Whether the interface was added after its object and is not announced yet.
    var isNew = false

    init(name: String) { self.name = name }

    var propertyCount: Int { 0 }
    func property(_ index: Int) -> (name: String, type: String) { ("", "") }
    func value(_ index: Int) -> Value? { nil }
    func isWritable(_ index: Int) -> Bool { false }
    func set(_ index: Int, _ value: Value, _ call: IncomingCall) {}
    func run(_ call: IncomingCall, member: String, signature: String) throws(DBusError) -> Bool { false }
    var description: String { "" }

    final func index(of property: String) -> Int? {
        (0..<propertyCount).first { self.property($0).name == property }
    }

    /// Marks a property as changed. Returns false if the property was already marked.
    final func note(_ index: Int) -> Bool {
        if pending.contains(index) { return false }
        pending.append(index)
        return true
    }

    final func takePending() -> [Int] {
        defer { pending.removeAll(keepingCapacity: true) }
        return pending
    }

    /// Appends all properties that are present (`a{sv}`).
    final func append(to body: inout MessageWriter) throws(DBusError) {
        try body.array(of: "{sv}") { (entries) throws(DBusError) in
            for index in 0..<propertyCount {
                guard let value = value(index) else { continue }
                try append(index, value, to: &entries)
            }
        }
    }

    final func append(_ index: Int, _ value: Value, to entries: inout MessageWriter) throws(DBusError) {
        let (name, type) = property(index)
        try entries.entry { (entry) throws(DBusError) in
            try entry.string(name)
            try entry.variant(of: type) { (content) throws(DBusError) in try content.value(value) }
        }
    }
}

/// An interface with the properties and methods of one class.
final class TypedInterface<Owner: AnyObject>: ServedInterface {
    private unowned let owner: Owner
    private let table: InterfaceTable<Owner>

    init(_ table: InterfaceTable<Owner>, of owner: Owner) {
        self.table = table
        self.owner = owner
        super.init(name: table.name)
    }

    override var propertyCount: Int { table.properties.count }

    override func property(_ index: Int) -> (name: String, type: String) {
        (table.properties[index].name, table.properties[index].type)
    }

    override func value(_ index: Int) -> Value? { table.properties[index].get(owner) }

    override func isWritable(_ index: Int) -> Bool { table.properties[index].set != nil }

    override func set(_ index: Int, _ value: Value, _ call: IncomingCall) {
        table.properties[index].set?(owner, value, call)
    }

    override func run(_ call: IncomingCall, member: String, signature: String) throws(DBusError) -> Bool {
        let row = table.methods.first { $0.name == member && $0.input.map(\.type).joined() == signature }
        guard let row else { return false }
        try row.run(owner, call)
        return true
    }

    override var description: String { Introspection.text(of: table) }
}
