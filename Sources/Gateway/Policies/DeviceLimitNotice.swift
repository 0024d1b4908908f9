import RxBluetooth

/// What a user should know about the limits of devices: of those of the configuration, and of others.
///
/// There is one notice when a limit begins to be exceeded, and one when that has ended.
enum DeviceLimitNotice: Hashable, Sendable, CustomStringConvertible {
    case tooManyDevices(limit: Int)
    case devicesFit(ignored: Int)
    case tooManyMessages(limit: Int)
    case messagesFit(ignored: Int)
    case tooManyDiscoveries(limit: Int)
    case discoveriesFit(ignored: Int)
    /// A device of the configuration exceeds the limit of messages. Further ones until the end make no notice.
    case tooManyDeviceMessages(BluetoothAddress, limit: Int)
    case deviceMessagesFit(ignored: Int)

    /// Whether a limit begins to be exceeded.
    var isProblem: Bool {
        switch self {
        case .tooManyDevices, .tooManyMessages, .tooManyDiscoveries, .tooManyDeviceMessages: true
        case .devicesFit, .messagesFit, .discoveriesFit, .deviceMessagesFit: false
        }
    }

    /// One line.
    var description: String {
        switch self {
        case .tooManyDevices(let limit):
            "\(limit) devices are in range that “devices” does not contain, so further ones are ignored; "
                + "add yours to “devices”, or change “other-devices.maximum”"
        case .devicesFit(let count):
            "further devices that “devices” does not contain are published again; \(count) advertisements were ignored"
        case .tooManyMessages(let limit):
            "devices that “devices” does not contain send more than \(limit) messages a minute, so some are ignored; "
                + "add yours to “devices”, or change “other-devices.messages-per-minute”"
        case .messagesFit(let count):
            "all messages of devices that “devices” does not contain are published again; "
                + "\(count) were ignored"
        case .tooManyDiscoveries(let limit):
            "Home Assistant has \(limit) devices that “devices” does not contain, and discovers no further ones; "
                + "add yours to “devices”, or change “home-assistant.discovery-limit”"
        case .discoveriesFit(let count):
            "no further devices exceed “home-assistant.discovery-limit”; \(count) readings made no discovery"
        case .tooManyDeviceMessages(let address, let limit):
            "\(address) sends more than \(limit) messages a minute, so only its newest values are published; "
                + "find the sender that uses its address, or change “publishing.messages-per-minute”"
        case .deviceMessagesFit(let count):
            "all messages of the devices of “devices” are published again; newer ones have replaced \(count)"
        }
    }
}
