/// A characteristic in the server's table: its properties, its value, and its replies.
final class ServerCharacteristic {
    let uuid: String
    let handle: UInt16
    private(set) var descriptors: [ServerDescriptor] = []
    var value: [UInt8] = []
    private(set) var flags: [String] = []
    private(set) var notifications: SimulatedNotifications?
    private(set) var indicates = false
    let protection: SimulatedProtection

    private var isReadable = false
    private var isWritable = false
    private var takesCommands = false
    private var readAnswer: (@Sendable ([UInt8]) -> SimulatedAnswer)?
    private var writeAnswer: (@Sendable ([UInt8]) -> SimulatedAnswer)?
    private var commandTaken: (@Sendable ([UInt8]) -> Void)?

    init(_ characteristic: SimulatedCharacteristic, from handles: inout Handles) {
        uuid = FullUUID.described(characteristic.uuid)
        protection = characteristic.protection
        handle = handles.take(2)
        for behaviour in characteristic.behaviours {
            switch behaviour.kind {
            case .read(let initial, let answer):
                isReadable = true
                value = initial
                readAnswer = answer
            case .write(let answer):
                isWritable = true
                writeAnswer = answer
            case .writeWithoutResponse(let taken):
                takesCommands = true
                commandTaken = taken
            case .notify(let described): notifications = described
            case .indicate(let described):
                if notifications == nil {
                    notifications = described
                    indicates = true
                }
            }
        }
        flags = Self.flags(of: characteristic)
        if characteristic.hasSwitch {
            descriptors.append(ServerDescriptor(SimulatedDescriptor("2902", [0, 0]), handle: handles.take()))
        }
        for descriptor in characteristic.descriptors {
            descriptors.append(ServerDescriptor(descriptor, handle: handles.take()))
        }
    }

    /// Returns the flags of a characteristic, in bluetoothd's order (src/gatt-client.c).
    private static func flags(of characteristic: SimulatedCharacteristic) -> [String] {
        let names = characteristic.behaviours.map { behaviour in
            switch behaviour.kind {
            case .read: "read"
            case .write: "write"
            case .writeWithoutResponse: "write-without-response"
            case .notify: "notify"
            case .indicate: "indicate"
            }
        }
        return ["read", "write-without-response", "write", "notify", "indicate"].filter(names.contains)
    }

    /// Whether the characteristic is Service Changed (2A05).
    var isServiceChanged: Bool { uuid.hasPrefix("00002a05-") }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    func read() -> SimulatedAnswer {
        guard isReadable else { return .error(0x02) }
        let answer = readAnswer?(value) ?? .accepted
        if case .accepted = answer.outcome { return .value(value, after: answer.delay) }
        return answer
    }

    func write(_ written: [UInt8], at offset: Int) -> SimulatedAnswer {
        guard isWritable else { return .error(0x03) }
        guard offset <= value.count || offset == 0 else { return .error(0x07) }
        let whole = offset == 0 ? written : Array(value.prefix(offset)) + written
        guard whole.count <= 512 else { return .error(0x0D) }
        let answer = writeAnswer?(whole) ?? .accepted
        switch answer.outcome {
        case .accepted: value = whole
        case .value(let other): value = other
        case .error, .silence, .deferred: break
        }
        return answer
    }

    /// Handles a write without response. Drops the value if it is invalid.
    func take(_ written: [UInt8]) {
        guard takesCommands, written.count <= 512 else { return }
        value = written
        commandTaken?(written)
    }
}
