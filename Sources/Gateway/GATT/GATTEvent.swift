public import FoundationEssentials
public import RxBluetooth

/// Something that happened with the connection to a device.
public struct GATTEvent: Sendable {
    /// The device.
    public var address: BluetoothAddress
    /// The wall time of the event.
    public var time: Date
    public var content: Content

    /// What happened.
    public enum Content: Sendable {
        /// The connection of the gateway changed.
        case state(GATTLinkState)
        /// A job received a value.
        case value(GATTValue)
        /// An operation of a job, or an attempt to connect, failed. The gateway continues by itself.
        case failure(GATTFailure)
        /// A command has its result, which is for the topic of results. All others are for the topic of connections.
        case result(CommandResult)
    }

    /// Creates an event.
    public init(address: BluetoothAddress, time: Date, content: Content) {
        self.address = address
        self.time = time
        self.content = content
    }
}

/// The state of the connection to a device.
public enum GATTLinkState: String, Hashable, Sendable {
    /// The gateway does not need a link now, or the device waits for its turn, or it is not in range.
    case disconnected
    case connecting
    case connected
}

/// A value that a job read, or that the device notified.
public struct GATTValue: Hashable, Sendable {
    public var characteristic: BluetoothUUID
    /// The service that the configuration names; nil if it names none.
    public var service: BluetoothUUID?
    /// The name of the job or the characteristic.
    public var name: String
    public var bytes: [UInt8]
    /// The decoded fields; nil if the characteristic has no published structure, or the bytes do not match it.
    ///
    /// A number that the sensor cannot have measured is no value, see ``DecodedField/isImpossible``.
    public var fields: [DecodedField]?

    init(_ job: GATTJob, _ bytes: [UInt8]) {
        characteristic = job.characteristic
        service = job.service
        name = job.displayName
        self.bytes = bytes
        fields = TypedAttribute.decode(bytes, of: job.characteristic)
    }
}

/// Why an operation of a job, or an attempt to connect, failed.
public struct GATTFailure: Hashable, Sendable {
    /// The word for the cause, as `BluetoothError.code`.
    public var kind: String
    /// What failed, the cause, and what to do, in one line.
    public var text: String
    /// The characteristic of the job; nil for an attempt to connect.
    public var characteristic: BluetoothUUID?
}

extension GATTJob {
    var displayName: String { name ?? characteristic.name ?? characteristic.description }

    var attribute: GATTCommand.Attribute { GATTCommand.Attribute(uuid: characteristic, service: service) }
}
