public import RxBluetooth

/// Decides which devices are published: the filter of the configuration as a function.
public struct DeviceMatcher: Sendable {
    /// The prefixes of allowed devices; nil if all devices are.
    private let allowed: DevicePrefixes?
    private let denied: DevicePrefixes
    private let minimumRSSI: Int?
    private let includesUnknown: Bool
    private let includesOthers: Bool
    private let described: Set<BluetoothAddress>

    /// Creates a matcher from the filter and the devices of a configuration.
    public init(_ configuration: GatewayConfiguration) {
        self.init(
            configuration.filter, described: configuration.devices.map(\.address),
            includesOthers: configuration.otherDevices.arePublished)
    }

    /// Creates a matcher. Described devices are published also if `allowed` does not contain them.
    init(_ filter: DeviceFilter, described: [BluetoothAddress] = [], includesOthers: Bool = true) {
        allowed = filter.allowed.isEmpty ? nil : DevicePrefixes(filter.allowed)
        denied = DevicePrefixes(filter.denied)
        minimumRSSI = filter.minimumRSSI
        includesUnknown = filter.includesUnknown
        self.includesOthers = includesOthers
        self.described = Set(described)
    }

    /// Whether the configuration contains the device.
    func describes(_ address: BluetoothAddress) -> Bool { described.contains(address) }

    /// Whether the address may be published. The list of denied addresses wins.
    public func matches(_ address: BluetoothAddress) -> Bool {
        if denied.matches(address.number) { return false }
        if described.contains(address) { return true }
        return includesOthers && allowed?.matches(address.number) ?? true
    }

    /// Whether an advertisement is published.
    ///
    /// Devices of the configuration are published also without a reading. The smallest signal strength applies to all.
    ///
    /// - Parameters:
    ///   - rssi: The signal strength in dBm; nil if it is not known, which passes.
    ///   - hasReading: Whether the advertisement was decoded, and contains more than the kind of a device.
    public func matches(_ address: BluetoothAddress, rssi: Int?, hasReading: Bool) -> Bool {
        allows(rssi: rssi, isUseful: hasReading || described.contains(address)) && matches(address)
    }

    /// Whether an advertisement is published, if its device may be.
    ///
    /// - Parameter isUseful: Whether it has a reading, or the configuration contains the device.
    func allows(rssi: Int?, isUseful: Bool) -> Bool {
        if let minimumRSSI, let rssi, rssi < minimumRSSI { return false }
        return isUseful || includesUnknown
    }
}
