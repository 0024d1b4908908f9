import DBus

/// An object on the bus: its path and its BlueZ interfaces.
final class ServedObject {
    let path: ObjectPath
    /// The main interface of the object.
    let interface: ServedInterface
    /// The interfaces that were added after the object.
    fileprivate(set) var others: [ServedInterface] = []
    /// The names of removed interfaces, until a signal announces the removal.
    fileprivate var gone: [String] = []
    /// Whether the object is not announced yet.
    fileprivate(set) var isNew = true
    fileprivate(set) var isPending = false
    fileprivate let number: Int

    fileprivate init(_ path: ObjectPath, _ interface: ServedInterface, number: Int) {
        self.path = path
        self.interface = interface
        self.number = number
    }

    var interfaces: [ServedInterface] { [interface] + others }

    /// Whether any interface has properties, and thus the object has `org.freedesktop.DBus.Properties`.
    var hasProperties: Bool { interface.propertyCount > 0 || others.contains { $0.propertyCount > 0 } }

    func interface(named name: String) -> ServedInterface? {
        interface.name == name ? interface : others.first { $0.name == name }
    }
}

/// The objects of the daemon and their pending changes.
///
/// As in BlueZ's gdbus/object.c, changes are sent before the next reply or at the end of a turn of the daemon's
/// loop. Several changes of an object in one turn make one signal.
final class ObjectTree {
    let bus: any Bus
    private var objects: [ObjectPath: ServedObject] = [:]
    private var pending: [ServedObject] = []
    private var count = 0

    init(bus: any Bus) { self.bus = bus }

    /// All objects in the order of gdbus: parents before children, and siblings from newest to oldest.
    var asListed: [ServedObject] {
        var below: [ObjectPath: [ServedObject]] = [:]
        for object in objects.values.sorted(by: { $0.number > $1.number }) {
            var parent = object.path.parent
            while parent != .root, objects[parent] == nil { parent = parent.parent }
            below[parent, default: []].append(object)
        }
        var listed: [ServedObject] = []
        func list(_ parent: ObjectPath) {
            for object in below[parent] ?? [] {
                listed.append(object)
                list(object.path)
            }
        }
        list(.root)
        return listed
    }

    func object(at path: ObjectPath) -> ServedObject? { objects[path] }

    /// Returns the names of a path's child nodes, sorted as in libdbus; nil if the path has no node.
    func children(of path: ObjectPath) -> [String]? {
        let prefix = path == .root ? "/" : "\(path)/"
        var names: Set<String> = []
        for object in objects.keys where object.isBelow(path) {
            names.insert(String(object.description.dropFirst(prefix.count).prefix { $0 != "/" }))
        }
        return names.isEmpty && objects[path] == nil && path != .root ? nil : names.sorted()
    }

    func add(_ interface: ServedInterface, at path: ObjectPath) -> ServedObject {
        count += 1
        let object = ServedObject(path, interface, number: count)
        objects[path] = object
        enqueue(object)
        return object
    }

    /// Removes an object after sending its pending changes.
    func remove(_ object: ServedObject) {
        guard objects[object.path] === object else { return }
        if !object.isNew { sendChanges(of: object) }
        objects[object.path] = nil
        pending.removeAll { $0 === object }
        object.isPending = false
        guard !object.isNew else { return }
        // As in gdbus, this signal is sent at once, before pending changes of other objects.
        let plain = ["org.freedesktop.DBus.Properties", "org.freedesktop.DBus.Introspectable"]
        sendInterfacesRemoved(
            (object.hasProperties ? plain : [plain[1]]) + object.interfaces.map(\.name), at: object.path)
    }

    /// Adds an interface to an existing object.
    func add(_ interface: ServedInterface, to object: ServedObject) {
        interface.isNew = true
        object.others.append(interface)
        enqueue(object)
    }

    /// Removes an interface that was added after the object.
    func remove(_ interface: ServedInterface, from object: ServedObject) {
        guard object.others.contains(where: { $0 === interface }) else { return }
        if !object.isNew, !interface.isNew {
            sendChanges(of: interface, at: object)
            object.gone.insert(interface.name, at: 0)
            enqueue(object)
        }
        object.others.removeAll { $0 === interface }
    }

    /// Sends the pending changes of an object.
    func settle(_ object: ServedObject) {
        guard object.isPending else { return }
        pending.removeAll { $0 === object }
        object.isPending = false
        sendPending(object)
    }

    /// Marks a property as changed.
    ///
    /// `atOnce` sends the change now, because notified values must not be merged (Q106).
    func changed(_ object: ServedObject, _ property: Int, atOnce: Bool = false) {
        guard !object.isNew, objects[object.path] === object, object.interface.note(property) else { return }
        if atOnce { sendChanges(of: object) } else { enqueue(object) }
    }

    /// Marks a property as changed, in an interface that was added after the object.
    func changed(_ interface: ServedInterface, of object: ServedObject, _ property: String) {
        guard let index = interface.index(of: property) else { preconditionFailure("No property \(property).") }
        guard !object.isNew, !interface.isNew, objects[object.path] === object, interface.note(index) else { return }
        enqueue(object)
    }

    func changed(_ object: ServedObject, _ property: String, atOnce: Bool = false) {
        guard let index = object.interface.index(of: property) else { preconditionFailure("No property \(property).") }
        changed(object, index, atOnce: atOnce)
    }

    /// Sends all pending changes.
    func flush() {
        while !pending.isEmpty {
            let all = pending
            pending.removeAll(keepingCapacity: true)
            for object in all {
                object.isPending = false
                sendPending(object)
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

    private func enqueue(_ object: ServedObject) {
        guard !object.isPending else { return }
        object.isPending = true
        pending.append(object)
    }

    /// Sends an object's pending signals: additions, changes, then removals, as in process_changes.
    private func sendPending(_ object: ServedObject) {
        if object.isNew { return announce(object, object.interfaces) }
        let new = object.others.filter(\.isNew)
        if !new.isEmpty { announce(object, new) }
        sendChanges(of: object)
        guard !object.gone.isEmpty else { return }
        let gone = object.gone
        object.gone = []
        sendInterfacesRemoved(gone, at: object.path)
    }

    private func announce(_ object: ServedObject, _ interfaces: [ServedInterface]) {
        let isWhole = object.isNew
        object.isNew = false
        for interface in interfaces { interface.isNew = false }
        signal(at: .root, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded") { (body) throws(DBusError) in
            try body.objectPath(object.path)
            guard !isWhole else { return try append(object, to: &body) }
            try body.array(of: "{sa{sv}}") { (entries) throws(DBusError) in
                for interface in interfaces { try append(interface, to: &entries) }
            }
        }
    }

    private func sendInterfacesRemoved(_ names: [String], at path: ObjectPath) {
        signal(at: .root, "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved") { (body) throws(DBusError) in
            try body.objectPath(path)
            try body.value(.strings(names))
        }
    }

    /// Appends all interfaces of an object with their properties (`a{sa{sv}}`).
    func append(_ object: ServedObject, to body: inout MessageWriter) throws(DBusError) {
        try body.array(of: "{sa{sv}}") { (interfaces) throws(DBusError) in
            try interfaces.entry { (entry) throws(DBusError) in
                try entry.string("org.freedesktop.DBus.Introspectable")
                try entry.properties([:])
            }
            try append(object.interface, to: &interfaces)
            if object.hasProperties {
                try interfaces.entry { (entry) throws(DBusError) in
                    try entry.string("org.freedesktop.DBus.Properties")
                    try entry.properties([:])
                }
            }
            for interface in object.others { try append(interface, to: &interfaces) }
        }
    }

    private func append(_ interface: ServedInterface, to entries: inout MessageWriter) throws(DBusError) {
        try entries.entry { (entry) throws(DBusError) in
            try entry.string(interface.name)
            try interface.append(to: &entry)
        }
    }

    private func sendChanges(of object: ServedObject) {
        sendChanges(of: object.interface, at: object)
        for interface in object.others { sendChanges(of: interface, at: object) }
    }

    private func sendChanges(of interface: ServedInterface, at object: ServedObject) {
        let changed = interface.takePending()
        if !changed.isEmpty { sendValues(of: interface, at: object.path, changed, invalidating: true) }
    }
}
