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

    /// How strongly the next packet is received, in dBm.
    func nextStrength() -> Int16 {
        guard let advertisement else { return 0 }
        // 0 would mean “none” to bluetoothd (Q55), and a radio reports nothing outside -127…20.
        let rssi = (strength ?? advertisement.rssi) + generator.offset(upTo: advertisement.jitter)
        return Int16(max(-127, min(20, rssi == 0 ? -1 : rssi)))
    }
}

/// A peripheral's address, as a number and as text.
struct DeviceAddress: Hashable {
    let number: UInt64
    let isRandom: Bool
    let text: String

    init?(_ text: String, isRandom: Bool) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var number: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, let byte = UInt8(part, radix: 16) else { return nil }
            number = number << 8 | UInt64(byte)
        }
        self.number = number
        self.isRandom = isRandom
        self.text = text
    }

    static func == (one: DeviceAddress, other: DeviceAddress) -> Bool {
        one.number == other.number && one.isRandom == other.isRandom
    }

    func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// The last element of the device's path, for example `dev_C0_FF_EE_00_00_01`.
    var pathElement: String { "dev_" + text.split(separator: ":").joined(separator: "_") }

    /// Private addresses change; bluetoothd never keeps a device that has one (src/device.c).
    var isPrivate: Bool { isRandom && number >> 46 < 2 }
}
