import DBus
import Rx

/// An object that a client exports to bluetoothd, with one interface and its properties.
struct ServedObject: Sendable {
    let path: ObjectPath
    let interface: String
    var properties: [String: Value]

    init(_ path: ObjectPath, _ interface: String, _ properties: [String: Value] = [:]) {
        self.path = path
        self.interface = interface
        self.properties = properties
    }

    fileprivate var entry: Value.Entry {
        Value.Entry(
            .objectPath(path),
            .dictionary(
                key: "s", value: "a{sv}", [Value.Entry(.string("org.bluez." + interface), .properties(properties))]))
    }
}

extension Client {
    /// Exports objects below a path in this order, and logs each call that bluetoothd makes to them.
    ///
    /// - Parameter hasManager: Whether the root object supports `GetManagedObjects`.
    func serve(
        _ root: ObjectPath, _ objects: [ServedObject], hasManager: Bool = true, noting: Bool = true
    ) -> ObjectExport {
        let handles = RelativeHandles()
        let task = bus.export(at: root, includingChildren: true) { [eventLog, names] call in
            let message = call.message
            let values = (try? message.read { (body) throws(DBusError) in try body.values() }) ?? []
            let words = values.map { value in
                if case .variant(.uint16(let handle)) = value { return handles.relative(handle) }
                return value.line(names)
            }
            if noting {
                eventLog.write(
                    (["called \(message.path?.description ?? "") \(message.member ?? "")"] + words).joined(
                        separator: " "))
            }
            let object = objects.first {
                $0.path == message.path && values.first == .string("org.bluez." + $0.interface)
            }
            switch message.member {
            case "GetManagedObjects" where hasManager && message.path == root:
                call.reply { (body) throws(DBusError) in
                    try body.value(.dictionary(key: "o", value: "a{sa{sv}}", objects.map(\.entry)))
                }
            case "GetAll" where object != nil:
                call.reply { (body) throws(DBusError) in try body.properties(object?.properties ?? [:]) }
            case "Set", "Release": call.reply()
            default: call.fail(DBusError(name: DBusError.Name.unknownMethod, message: "no such method"))
            }
        }
        return ObjectExport(task)
    }
}

/// A set of objects that a client exports. Releasing it removes the objects from the bus.
final class ObjectExport {
    private let task: BusTask

    fileprivate init(_ task: BusTask) { self.task = task }

    func end() { task.cancel() }

    deinit { task.cancel() }
}

/// Describes attribute handles relative to the first handle.
///
/// Absolute handles depend on earlier registrations.
private final class RelativeHandles: Sendable {
    private let first = Guarded<UInt16?>(nil)

    func relative(_ handle: UInt16) -> String {
        let first = first.withLock { first in
            if first == nil { first = handle }
            return first ?? handle
        }
        return handle == first ? "the first handle" : "the first handle + \(handle &- first)"
    }
}
