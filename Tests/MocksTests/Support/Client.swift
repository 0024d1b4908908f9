import DBus
import RxBluetoothMocks

/// A client of the simulated bluetoothd that uses raw D-Bus and logs signals and replies.
final class Client: Sendable {
    let bus: any Bus
    let log = Log()

    init(_ bus: any Bus, listening: Bool = true) {
        self.bus = bus
        guard listening else { return }
        let log = log
        _ = bus.subscribe(MatchRule(sender: "org.bluez")) { log.write($0.line) }
        _ = bus.watchOwner(of: "org.bluez") { log.write("owner \($0 ?? "none")") }
    }

    func call(_ path: String, _ method: String, _ arguments: [Value], timeout: Duration = .seconds(60)) -> Answer {
        let answer = Answer()
        let dot = method.lastIndex(of: ".") ?? method.startIndex
        guard let path = ObjectPath(path),
            let message = try? Message.call(
                to: "org.bluez", path: path, interface: String(method[..<dot]),
                member: String(method[method.index(after: dot)...]),
                { (body) throws(DBusError) in
                    for argument in arguments { try body.value(argument) }
                })
        else {
            answer.settle(.failure(.invalidArgument("\(path) \(method)")))
            return answer
        }
        let log = log
        let name = "\(message.member ?? "")"
        bus.call(message, timeout: timeout) {
            answer.settle($0)
            log.write("\(name) -> \(answer.line)")
        }
        return answer
    }
}

extension Message {
    /// The signal as one line of text, with short names.
    var line: String {
        let values = (try? read { (body) throws(DBusError) in try body.values() }) ?? []
        let place = path?.description.replacing("/org/bluez/hci", with: "hci") ?? ""
        switch (member, values.count) {
        case ("PropertiesChanged", 3):
            return "\(place) \(values[1].line)" + (values[2] == .strings([]) ? "" : " invalid \(values[2].line)")
        case ("InterfacesAdded", _): return "added \(values[0].line)"
        case ("InterfacesRemoved", _): return "removed \(values[0].line)"
        default: return "\(place) \(member ?? "") \(values.map(\.line))"
        }
    }
}

extension Value {
    /// The value as a short text.
    var line: String {
        switch self {
        case .bool(let value): "\(value)"
        case .byte(let value): "\(value)"
        case .int16(let value): "\(value)"
        case .uint16(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .string(let value): value.replacing("-0000-1000-8000-00805f9b34fb", with: "")
        case .objectPath(let path): path.description.replacing("/org/bluez/hci", with: "hci")
        case .bytes(let bytes): "<" + bytes.map { String($0, radix: 16) }.joined(separator: " ") + ">"
        case .array(_, let values): "[" + values.map(\.line).joined(separator: ", ") + "]"
        case .dictionary(_, _, let entries):
            "{" + entries.map { "\($0.key.line): \($0.value.line)" }.joined(separator: ", ") + "}"
        case .variant(let value): value.line
        default: "\(self)"
        }
    }
}
