import RxBluetooth

/// The names of devices: those of the configuration, and those that other devices advertise.
struct DeviceNames: Sendable {
    private enum Advertised: Hashable, Sendable {
        case used(String)
        /// The name would make a topic of another part of the gateway, so the address is used.
        case refused(String)
    }

    private static let capacity = 10_000
    private static let maximumReports = 100

    private let configured: [BluetoothAddress: String]
    private let described: Set<BluetoothAddress>
    /// The advertised names of the devices in range.
    private var advertised: [BluetoothAddress: Advertised] = [:]
    private var reserved: ReservedTopics
    private var reported: Set<String> = []
    /// How often a device advertised a name that is reserved.
    private(set) var refusedCount = 0

    init(_ configuration: GatewayConfiguration) {
        configured = Dictionary(
            configuration.devices.compactMap { device in device.name.map { (device.address, $0) } }
        ) { first, _ in first }
        described = Set(configuration.devices.map(\.address))
        reserved = ReservedTopics(configuration)
    }

    /// Creates the names of a newer configuration, with the advertised names that are known.
    init(_ configuration: GatewayConfiguration, after earlier: DeviceNames) {
        self.init(configuration)
        reported = earlier.reported
        for case (let address, .used(let name)) in earlier.advertised { _ = learn(name, of: address) }
        refusedCount = earlier.refusedCount
    }

    /// The name of a device; nil if it has none that may be used.
    subscript(address: BluetoothAddress) -> String? {
        if let name = configured[address] { return name }
        guard case .used(let name)? = advertised[address] else { return nil }
        return name
    }

    /// Learns an advertised name. Returns whether it was refused, and this is to be reported.
    mutating func learn(_ name: String, of address: BluetoothAddress) -> Bool {
        guard configured[address] == nil else { return false }
        let known = advertised[address]
        guard known != .used(name), known != .refused(name) else { return false }
        guard known != nil || advertised.count < Self.capacity else { return false }
        // Otherwise the packets of an imitation would reserve any number of names.
        if described.contains(address), case .used(let former)? = known { reserved.release(former, of: address) }
        guard reserved.allow(name, of: address) else { return refuse(name, of: address) }
        advertised[address] = .used(name)
        if described.contains(address) { reserve(name, of: address) }
        return false
    }

    /// Forgets the advertised name of a device that has left.
    mutating func forget(_ address: BluetoothAddress) { advertised[address] = nil }

    private mutating func refuse(_ name: String, of address: BluetoothAddress) -> Bool {
        advertised[address] = .refused(name)
        refusedCount += 1
        return reported.count < Self.maximumReports && reported.insert(name).inserted
    }

    /// Reserves the name of a device of the configuration that has none there. Other devices must not keep it.
    private mutating func reserve(_ name: String, of address: BluetoothAddress) {
        reserved.reserve(name, of: address)
        for case (let other, .used(let name)) in advertised where other != address {
            if !reserved.allow(name, of: other) { _ = refuse(name, of: other) }
        }
    }
}
