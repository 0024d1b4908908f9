public import DBus
import Rx

/// A call that a client made to the simulated bluetoothd.
public struct RecordedCall: Hashable, Sendable {
    /// The unique name of the client.
    public let sender: String
    /// The object that was called.
    public let path: String
    /// The interface, for example `org.bluez.Adapter1`; empty where the call bore none.
    public let interface: String
    /// The method.
    public let member: String
    /// The arguments.
    public let arguments: [Value]
}

extension RecordedCall: CustomStringConvertible {
    /// Path, the interface's last word and the method, for example `/org/bluez/hci0 Adapter1.StartDiscovery`.
    public var description: String { "\(path) \(interface.split(separator: ".").last ?? "").\(member)" }
}

/// Keeps the calls in the order in which they came.
final class Recorder: Sendable {
    private let list = Guarded<[RecordedCall]>([])

    var calls: [RecordedCall] { list.withLock { $0 } }

    func clear() {
        list.withLock { $0 = [] }
    }

    func record(_ call: Message) {
        let arguments = try? call.read { (body) throws(DBusError) in try body.values() }
        let recorded = RecordedCall(
            sender: call.sender ?? "", path: call.path?.description ?? "", interface: call.interface ?? "",
            member: call.member ?? "", arguments: arguments ?? [])
        list.withLock { $0.append(recorded) }
    }
}
