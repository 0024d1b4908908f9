/// A peripheral while it is simulated: its description, and everything about it that changes.
final class SimulatedDeviceState {
    private(set) var description: SimulatedPeripheral
    var address: DeviceAddress
    /// How strongly it is received, in dBm, where that is not what the advertisement says.
    var strength: Int?
    var connection: SimulatedConnection
    var advertisement: SimulatedAdvertisement? { didSet { report = advertisement.map(AdvertisingReport.init) } }
    private(set) var report: AdvertisingReport?
    var isInRange = true
    /// What holds the link to it; nobody else can connect then, and it does not advertise.
    var link: DaemonLink?
    /// How many attempts to connect were made.
    var attempts = 0
    var pairing: SimulatedPairing
    /// The addresses of the adapters to which it remembers a bond, with what protects a link then.
    var bonds: [String: SimulatedProtection] = [:]
    /// Its GATT server, whose values outlive a link.
    private(set) var server: PeripheralGATTServer
    var generator: SeededGenerator

    init(_ description: SimulatedPeripheral, seed: UInt64) {
        guard let address = DeviceAddress(description.address, isRandom: description.addressType == .random) else {
            preconditionFailure("“\(description.address)” is not a Bluetooth address.")
        }
        self.description = description
        self.address = address
        connection = description.connection
        pairing = description.pairing
        server = PeripheralGATTServer(description)
        generator = SeededGenerator(seed: seed)
        advertisement = description.advertisement
        report = description.advertisement.map(AdvertisingReport.init)
    }

    /// Gives it other services, on handles of their own.
    func change(services: [SimulatedService]) {
        description.services = services
        server = PeripheralGATTServer(description)
    }

    /// Puts back what it held at first.
    func restoreValues() {
        let fresh = PeripheralGATTServer(description).services.flatMap(\.characteristics)
        for (old, new) in zip(server.services.flatMap(\.characteristics), fresh) {
            old.value = new.value
            for (old, new) in zip(old.descriptors, new.descriptors) { old.value = new.value }
        }
    }

    /// Whether what it advertises can be heard.
    var isOnAir: Bool { isInRange && link == nil && report != nil }

    /// Whether an attempt to connect would be heard.
    var isReachable: Bool { isInRange && link == nil && report?.isConnectable == true }

    /// How strongly the next packet is received, in dBm.
    func nextStrength() -> Int16 {
        guard let advertisement else { return 0 }
        // 0 would mean “none” to bluetoothd (Q55), and a radio reports nothing outside -127…20.
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
