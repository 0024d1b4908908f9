public import FoundationEssentials
import RxBluetoothSupport

/// The presence of a device as JSON.
///
/// For example `{"id":"C0:FF:EE:00:00:01","name":"Kitchen","state":"found","rssi":-61.5,
/// "last_seen":"2026-03-14T15:09:26.535Z","time":"2026-03-14T15:09:26.535Z"}`.
public struct PresenceMessage: Hashable, Sendable {
    /// The device.
    public var device: MessageDevice
    /// Whether the device is in range.
    public var isPresent: Bool
    /// The smoothed signal strength in dBm; nil if it is not known.
    public var rssi: Double?
    /// The wall time of the last advertisement.
    public var lastSeen: Date
    /// The wall time of this message.
    public var time: Date

    /// Creates a message.
    public init(device: MessageDevice, isPresent: Bool, rssi: Double?, lastSeen: Date, time: Date) {
        self.device = device
        self.isPresent = isPresent
        self.rssi = rssi
        self.lastSeen = lastSeen
        self.time = time
    }

    /// The JSON object in UTF-8, without control characters.
    public var payload: [UInt8] { json.bytes }

    /// The message for the broker, with confirmation and not retained.
    public func publication(_ topics: GatewayTopics) -> Publication {
        var publication = Publication(topic: topics.presence(of: device), payload: payload)
        publication.priority = device.priority
        return publication
    }

    var json: JSON {
        var members = MessageMembers(device)
        members.add("state", .string(isPresent ? "found" : "lost"))
        members.add("rssi", rssi.map { .double(($0 * 10).rounded() / 10) })
        members.add("last_seen", .string(MessageTime.text(lastSeen)))
        members.add("time", .string(MessageTime.text(time)))
        return members.json
    }
}
