import RxBluetoothSupport

/// A peripheral during the simulation: its description, and all its state that changes.
final class SimulatedDeviceState {
    private(set) var description: SimulatedPeripheral
    var address: DeviceAddress { didSet { if advertisement?.sensor != nil { updateReport() } } }
    /// The RSSI in dBm that replaces the advertisement's RSSI; nil for the advertisement's RSSI.
    var strength: Int?
    var connection: SimulatedConnection
    var advertisement: SimulatedAdvertisement? {
        didSet {
            sample = 0
            updateReport()
        }
    }
    private(set) var report: AdvertisingReport?
    /// The number of the sensor's sample in ``report``.
    private var sample = 0
    var isInRange = true
    /// The link to the peripheral; nil while not connected.
    ///
    /// While a link exists, the peripheral neither advertises nor accepts another link.
    var link: DaemonLink?
    /// The number of connection attempts so far.
    var attempts = 0
    var pairing: SimulatedPairing
    /// The security level of the bond with each adapter, by the adapter's address.
    var bonds: [String: SimulatedProtection] = [:]
    /// The GATT server. Its values outlive a link.
    private(set) var server: PeripheralGATTServer
    var generator: SplitMix64
    /// The L2CAP channels that the peripheral serves, by PSM.
    var channels: [UInt16: SimulatedChannel]

    init(_ description: SimulatedPeripheral, seed: UInt64) {
        guard let address = DeviceAddress(description.address, isRandom: description.addressType == .random) else {
            preconditionFailure("“\(description.address)” is not a Bluetooth address.")
        }
        self.description = description
        self.address = address
        connection = description.connection
        pairing = description.pairing
        channels = description.channels
        server = PeripheralGATTServer(description)
        generator = SplitMix64(seed: seed)
        advertisement = description.advertisement
        updateReport()
    }

    private func updateReport() {
        report = advertisement.map { AdvertisingReport($0.sent(from: address, sample: sample)) }
    }

    /// Takes the sensor's sample of a time, which counts while an adapter listens.
    func takeSample(at time: Duration) {
        guard let sensor = advertisement?.sensor, sensor.isChanging else { return }
        let number = sensor.sample(at: time)
        guard number != sample else { return }
        sample = number
        updateReport()
    }

    /// Replaces the services. The new services get new handles.
    func change(services: [SimulatedService]) {
        description.services = services
        server = PeripheralGATTServer(description)
    }

    /// Restores the initial values of all characteristics and descriptors.
    func restoreValues() {
        let fresh = PeripheralGATTServer(description).services.flatMap(\.characteristics)
        for (old, new) in zip(server.services.flatMap(\.characteristics), fresh) {
            old.value = new.value
            for (old, new) in zip(old.descriptors, new.descriptors) { old.value = new.value }
        }
    }

    /// Whether advertisements of the peripheral can be received.
    var isOnAir: Bool { isInRange && link == nil && report != nil }

    /// Whether the peripheral is in range, connectable and without a link.
    var isReachable: Bool { isInRange && link == nil && report?.isConnectable == true }

    /// The RSSI of the next packet, in dBm.
    func nextStrength() -> Int16 {
        guard let advertisement else { return 0 }
        // An RSSI of 0 becomes -1, because bluetoothd takes 0 for no RSSI (Q55). Controllers report only -127 to 20.
        let rssi = (strength ?? advertisement.rssi) + generator.offset(upTo: advertisement.jitter)
        return Int16(max(-127, min(20, rssi == 0 ? -1 : rssi)))
    }

    func described(_ characteristic: String, index: Int) -> ServerCharacteristic {
        guard let found = server.characteristic(characteristic, index: index) else {
            preconditionFailure("\(description.name) has no characteristic \(characteristic) number \(index).")
        }
        return found
    }
}

extension SplitMix64 {
    /// Returns a random number from `-reach` to `reach`.
    fileprivate mutating func offset(upTo reach: Int) -> Int {
        reach <= 0 ? 0 : Int(next() % UInt64(2 * reach + 1)) - reach
    }
}
