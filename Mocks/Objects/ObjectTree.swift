import DBus

/// An object on the bus: a path, and the one interface of BlueZ there.
final class ServedObject {
    let path: ObjectPath
    let interface: ServedInterface
    /// Nobody was told of the object yet.
    fileprivate(set) var isNew = true
    fileprivate(set) var isPending = false
    fileprivate let number: Int

    fileprivate init(_ path: ObjectPath, _ interface: ServedInterface, number: Int) {
        self.path = path
        self.interface = interface
        self.number = number
    }
}

/// The objects that the daemon serves, and what it still has to say about them.
///
/// As BlueZ's gdbus/object.c: changes are collected and go out at the end of the turn, or before
/// the next reply, so that whoever gets the reply knows them. Several changes of an object in a turn are one signal.
final class ObjectTree {
    let bus: any Bus
    private var objects: [ObjectPath: ServedObject] = [:]
    private var pending: [ServedObject] = []
    private var count = 0

    init(bus: any Bus) { self.bus = bus }

    var inOrder: [ServedObject] { objects.values.sorted { $0.number < $1.number } }

    func object(at path: ObjectPath) -> ServedObject? { objects[path] }

    /// The names of the nodes right below a path; nil where there is no such node.
    func children(of path: ObjectPath) -> [String]? {
        let prefix = path == .root ? "/" : "\(path)/"
        var names: [String] = []
        for object in inOrder where object.path.isBelow(path) {
            let rest = object.path.description.dropFirst(prefix.count)
            let name = String(rest.prefix { $0 != "/" })
            if !names.contains(name) { names.append(name) }
        }
        return names.isEmpty && objects[path] == nil && path != .root ? nil : names
    }

    func add(_ interface: ServedInterface, at path: ObjectPath) -> ServedObject {
        count += 1
        let object = ServedObject(path, interface, number: count)
        objects[path] = object
        wait(object)
        return object
    }

    /// Takes an object away. What was still to be said about it is said first.
    func remove(_ object: ServedObject) {
        guard objects[object.path] === object else { return }
        if !object.isNew { sendChanges(of: object) }
        objects[object.path] = nil
        pending.removeAll { $0 === object }
        object.isPending = false
        guard !object.isNew else { return }
        // At once, before changes of other objects that wait for the end of the turn: so does gdbus.
        let names = ["org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable", object.interface.name]
        signal(at: .root, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") { (body) throws(DBusError) in
            try body.objectPath(object.path)
            try body.value(.strings(names))
        }
    }

    /// Says what is still to be said about an object.
    func settle(_ object: ServedObject) {
        guard object.isPending else { return }
        pending.removeAll { $0 === object }
        object.isPending = false
        if object.isNew { announce(object) } else { sendChanges(of: object) }
    }

    /// Notes that a property changed. `atOnce` sends it now: notified values must not melt into one (Q106).
    func changed(_ object: ServedObject, _ property: Int, atOnce: Bool = false) {
        guard !object.isNew, objects[object.path] === object, object.interface.note(property) else { return }
        if atOnce { sendChanges(of: object) } else { wait(object) }
    }

    func changed(_ object: ServedObject, _ property: String, atOnce: Bool = false) {
        guard let index = object.interface.index(of: property) else { preconditionFailure("No property \(property).") }
        changed(object, index, atOnce: atOnce)
    }

    /// Sends all that was collected.
    func flush() {
        while !pending.isEmpty {
            let all = pending
            pending.removeAll(keepingCapacity: true)
            for object in all {
                object.isPending = false
                if object.isNew { announce(object) } else { sendChanges(of: object) }
            }
        }
    }

    func reply(
        _ call: IncomingCall,
        _ body: (inout MessageWriter) throws(DBusError) -> Void = { (_) throws(DBusError) in }
    ) {
        flush()
        call.reply(body)
    }

    func fail(_ call: IncomingCall, _ error: DBusError) {
        flush()
        call.fail(error)
    }

    private func wait(_ object: ServedObject) {
        guard !object.isPending else { return }
        object.isPending = true
        pending.append(object)
    }

    private func announce(_ object: ServedObject) {
        object.isNew = false
        signal(at: .root, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded") { (body) throws(DBusError) in
            try body.objectPath(object.path)
            try append(object, to: &body)
        }
    }

    /// Appends all interfaces of an object with their properties (`a{sa{sv}}`).
    func append(_ object: ServedObject, to body: inout MessageWriter) throws(DBusError) {
        try body.array(of: "{sa{sv}}") { (interfaces) throws(DBusError) in
            try interfaces.entry { (entry) throws(DBusError) in
                try entry.string("org.freedesktop.DBus.Introspectable")
                try entry.properties([:])
            }
            try interfaces.entry { (entry) throws(DBusError) in
                try entry.string(object.interface.name)
                try object.interface.append(to: &entry)
            }
            try interfaces.entry { (entry) throws(DBusError) in
                try entry.string("org.freedesktop.DBus.Properties")
                try entry.properties([:])
            }
        }
    }

    private func sendChanges(of object: ServedObject) {
        let changed = object.interface.takePending()
        if !changed.isEmpty { sendValues(of: object, changed, invalidating: true) }
    }
}
