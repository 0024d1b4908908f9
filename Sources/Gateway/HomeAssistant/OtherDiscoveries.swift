import FoundationEssentials
import RxBluetooth

/// The devices with discovery that the configuration does not contain, and those that were removed. A pure value.
///
/// A retained list of these devices is at the broker, so that a later process can remove those that have left. Gateways
/// announce removals to each other, because another one may still hear the device.
struct OtherDiscoveries: Sendable {
    var admission: DiscoveryAdmission
    /// Whether devices were added or removed since the list was published.
    var isListChanged = false
    /// The topic of the list.
    private(set) var listTopic: String
    private let removalTopic: String?
    private var configured: Set<BluetoothAddress>
    private var listTime: Duration?
    /// When the first connection was made.
    private var connectionTime: Duration?
    /// Whether the list of an earlier process was read.
    private var isRestored = false
    private var removals: [(address: BluetoothAddress, time: Duration)] = []

    /// The list has the times at which devices were heard, so it is published at least once in this time.
    private static let listInterval = Duration.seconds(3600)
    /// The time in which the retained list of an earlier process arrives.
    private static let settling = Duration.seconds(10)
    /// A connection that ends may lose the removals of this time.
    private static let repetition = Duration.seconds(300)
    private static let maximumRemovals = 1_000

    init(_ configuration: GatewayConfiguration, _ settings: HomeAssistantSettings) {
        admission = DiscoveryAdmission(settings)
        configured = Set(configuration.devices.map(\.address))
        listTopic = GatewayTopics(configuration.topics, gateway: configuration.name).discovered
        removalTopic = configuration.sharing.isEnabled ? configuration.sharing.base + "/removed" : nil
    }

    /// Uses another configuration.
    mutating func reload(_ configuration: GatewayConfiguration, _ settings: HomeAssistantSettings) {
        let before = admission.discovered.count
        admission.reload(settings)
        configured = Set(configuration.devices.map(\.address))
        for address in configured { admission.withdraw(address) }
        listTopic = GatewayTopics(configuration.topics, gateway: configuration.name).discovered
        isListChanged = isListChanged || admission.discovered.count != before
    }

    /// Whether a device with a message may keep it after a change of the configuration.
    mutating func keeps(_ address: BluetoothAddress, at now: Duration) -> Bool {
        var device = MessageDevice(address: address)
        device.isConfigured = configured.contains(address)
        return admission.admit(device, at: now)
    }

    var filters: [String] { [listTopic] + (removalTopic.map { [$0] } ?? []) }

    /// The connection to the broker was made.
    mutating func connected(at now: Duration) { connectionTime = connectionTime ?? now }

    /// Whether the list is to be published. It must not replace that of an earlier process before this is read.
    func isListDue(at now: Duration) -> Bool {
        guard isRestored || connectionTime.map({ now - $0 >= Self.settling }) ?? false else { return false }
        return isListChanged || listTime.map { now - $0 >= Self.listInterval } ?? false
    }

    /// Returns the list; nil if there is none at the broker and none to publish.
    mutating func list(at now: Duration, wallTime: Date) -> Publication? {
        let entries = admission.discovered.sorted { $0.address < $1.address }.map { address, heard in
            let seconds = (wallTime.timeIntervalSince1970 - (now - heard) / .seconds(1)).rounded()
            return JSONNode.Member(address.plainText, .number(seconds))
        }
        guard !entries.isEmpty || isListChanged else { return nil }
        isListChanged = false
        listTime = now
        return Publication(
            topic: listTopic, payload: entries.isEmpty ? [] : JSONNode.object(entries).encoded, isRetained: true)
    }

    /// Learns from the list of an earlier process. Returns the devices that must be removed.
    mutating func restore(_ message: ReceivedMessage, at now: Duration, wallTime: Date) -> [BluetoothAddress] {
        guard message.isRetained, !isRestored else { return [] }
        isRestored = true
        guard case .object(let entries)? = try? JSONParser.parse(message.payload, upTo: 64 << 10) else { return [] }
        var excess: [BluetoothAddress] = []
        for entry in entries.prefix(Self.maximumRemovals) {
            guard let address = BluetoothAddress(plainText: entry.key), !configured.contains(address),
                case .number(let seconds) = entry.value
            else { continue }
            let age = min(max(wallTime.timeIntervalSince1970 - seconds, 0), 1e9)
            if !admission.restore(address, age: .seconds(age), at: now) { excess.append(address) }
        }
        isListChanged = isListChanged || !excess.isEmpty
        listTime = listTime ?? now
        return excess
    }

    /// Stores that a device was removed. Returns the message to other gateways; nil if there are none.
    mutating func removed(_ address: BluetoothAddress, at now: Duration) -> Publication? {
        isListChanged = true
        removals.append((address, now))
        if removals.count > Self.maximumRemovals { removals.removeFirst(removals.count - Self.maximumRemovals) }
        return removalTopic.map { Publication(topic: $0, payload: Array(address.plainText.utf8)) }
    }

    /// Returns the devices of recent removals, which a connection that has ended may have lost.
    mutating func recentRemovals(at now: Duration) -> [BluetoothAddress] {
        removals.removeAll { now - $0.time > Self.repetition }
        return removals.map(\.address)
    }

    /// The device that another gateway has removed; nil for other messages.
    func removedAddress(_ message: ReceivedMessage) -> BluetoothAddress? {
        guard message.topic == removalTopic, message.payload.count == 12 else { return nil }
        return BluetoothAddress(plainText: String(decoding: message.payload, as: UTF8.self))
    }
}
