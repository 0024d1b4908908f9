import DBus
import Rx

/// An object that a client serves to bluetoothd: a path below that of the registration, one interface and its properties.
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
    /// Serves objects below a path, in this order, and notes each call of bluetoothd. Without an object manager
    /// `GetManagedObjects` is an unknown method.
    func serve(_ root: ObjectPath, _ objects: [ServedObject], hasManager: Bool = true, noting: Bool = true) -> Served {
        let base = Base()
        let task = bus.export(at: root, includingChildren: true) { [journal, names] call in
            let message = call.message
            let values = (try? message.read { (body) throws(DBusError) in try body.values() }) ?? []
            let words = values.map { value in
                if case .variant(.uint16(let handle)) = value { return base.relative(handle) }
                return value.line(names)
            }
            if noting {
                journal.write(
                    (["asked \(message.path?.description ?? "") \(message.member ?? "")"] + words).joined(
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
        return Served(task)
    }
}

/// What a client serves, until it is taken away.
final class Served {
    private let task: BusTask

    fileprivate init(_ task: BusTask) { self.task = task }

    func end() { task.cancel() }

    deinit { task.cancel() }
}

/// Handles beside the first one that is written, for they depend on what was registered before.
private final class Base: Sendable {
    private let first = Guarded<UInt16?>(nil)

    func relative(_ handle: UInt16) -> String {
        let first = first.withLock { first in
            if first == nil { first = handle }
            return first ?? handle
        }
        return handle == first ? "the first handle" : "the first handle + \(handle &- first)"
    }
}
