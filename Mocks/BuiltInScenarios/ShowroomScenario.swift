public import BluetoothValues
import RxBluetoothSupport

extension Scenario {
    /// A sensor or beacon of each format of `BluetoothValues`, to test programs that read sensors.
    ///
    /// Some values change over time. The phone and the trackers have data of the right kind without meaning.
    /// ``showroomKeys`` has the keys of the encrypted devices.
    ///
    /// | Address, which begins with C0:5E:00:00:00, and name | | | |
    /// |---|---|---|---|
    /// | 01 BTHome | 02 Ruuvi 5 | 03 Ruuvi 3 | 04 Ruuvi 6 |
    /// | 05 Ruuvi E1 | 06 Environmental Sensing | 07 ATC1441 | 08 pvvx |
    /// | 09 b-parasite | 0A MiBeacon | 0B GVH5075 | 0C Govee_H5074 |
    /// | 0D sps | 0E TP357 | 0F SwitchBot meter | 10 SwitchBot hub data |
    /// | 11 Qingping | 12 Sensirion | 13 Mi scale 1 | 14 Mi scale 2 |
    /// | 15 Aranet4 | 16 Oral-B | 17 Mopeka | 18 iBeacon |
    /// | 19 Tilt | 1A AltBeacon | 1B Eddystone UID | 1C Eddystone URL |
    /// | 1D Eddystone TLM | 1E Eddystone EID | 1F BTHome encrypted | 20 MiBeacon encrypted |
    /// | 21 ATC1441 encrypted | 22 pvvx encrypted | 23 Victron | 24 Phone |
    /// | 25 Find My tag | 26 Tracker | 27 Earphones | 28 Exposure Notification |
    public static let showroom = Scenario(
        peripherals: showroomDevices.enumerated().map { index, device in
            SimulatedPeripheral(device.name, address: showroomAddress(index)) { device.advertisement }
        })

    /// The keys of the encrypted devices of ``showroom``. They are examples and protect nothing.
    public static let showroomKeys = showroom.sensorKeys

    private static func showroomAddress(_ index: Int) -> String {
        SenderAddress(0xC05E_0000_0001 + UInt64(index)).description
    }
}

extension Scenario {
    /// The keys of the sensors that encrypt what they advertise, for the program that reads them.
    public var sensorKeys: KeyStore {
        var keys = KeyStore()
        for peripheral in peripherals {
            guard let key = peripheral.advertisement?.sensor?.key else { continue }
            if let address = SenderAddress(peripheral.address) { keys[address] = key }
        }
        return keys
    }
}

private struct ShowroomDevice {
    let name: String
    let advertisement: SimulatedAdvertisement

    /// A sensor that is recognised by any name.
    init(_ name: String, _ sensor: SimulatedSensor) {
        self.name = name
        advertisement = SimulatedAdvertisement(sensor, every: .milliseconds(500), rssi: -62, jitter: 4, name: name)
    }

    /// A device with fixed data.
    init(_ name: String, manufacturerData: [UInt16: [UInt8]] = [:], serviceData: [String: [UInt8]] = [:]) {
        self.name = name
        advertisement = SimulatedAdvertisement(
            every: .milliseconds(500), rssi: -70, jitter: 4, name: name, connectable: false,
            manufacturerData: manufacturerData, serviceData: serviceData)
    }
}

/// The example keys: sixteen bytes that count upwards.
private func exampleKey(from start: UInt8) -> DeviceKey? { DeviceKey((0..<16).map { start + $0 }) }

private let warm = SimulatedValue.sweep(from: 18, to: 24, period: .seconds(60))
private let damp = SimulatedValue.sweep(from: 40, to: 60, period: .seconds(90))
private let beaconUUID: AttributeUUID = "74278BDA-B644-4520-8F0C-720EAF059935"

private let showroomDevices: [ShowroomDevice] = openFormats + vendorFormats + beacons + encrypted + recognised

private let openFormats: [ShowroomDevice] = [
    ShowroomDevice(
        "BTHome", .bthome(temperature: warm, humidity: damp, batteryLevel: 93, states: [SensorState(.window, true)])),
    ShowroomDevice("Ruuvi 5", .ruuvi(temperature: warm, humidity: damp, pressure: 1000.44, voltage: 2.977)),
    ShowroomDevice("Ruuvi 3", .values(ruuvi3)),
    ShowroomDevice(
        "Ruuvi 6",
        .measuring(
            .ruuvi,
            [.temperature: 25.99, .humidity: 41.58, .pressure: 1014.77, .carbonDioxide: 537, .particles2_5: 2.1])
    ),
    ShowroomDevice(
        "Ruuvi E1",
        .measuring(
            .ruuvi, [.temperature: 29.5, .humidity: 55.3, .carbonDioxide: 201, .particles10: 2.0, .illuminance: 13027])),
    ShowroomDevice("Environmental Sensing", .measuring(.environmentalSensing, [.temperature: 24.04])),
    ShowroomDevice(
        "ATC1441", .measuring(.atc1441, [.temperature: 16.2, .humidity: 47, .batteryLevel: 95, .voltage: 3.064])),
    ShowroomDevice(
        "pvvx", .measuring(.pvvx, [.temperature: warm, .humidity: damp, .batteryLevel: 88, .voltage: 2.998])),
    ShowroomDevice(
        "b-parasite",
        .measuring(
            .bParasite,
            [.temperature: 21.54, .humidity: 73.68, .moisture: 40, .voltage: 2.721, .illuminance: 1200])),
]

private let ruuvi3: RuuviTag = {
    var tag = RuuviTag(temperature: 26.3, humidity: 20.5, pressure: 1027.66, voltage: 2.899)
    tag.version = .v3
    (tag.accelerationX, tag.accelerationY, tag.accelerationZ) = (-1, -1.726, 0.714)
    return tag
}()

private let vendorFormats: [ShowroomDevice] = [
    ShowroomDevice("MiBeacon", .measuring(.miBeacon, [.temperature: 18, .humidity: 66.1])),
    ShowroomDevice("GVH5075", .measuring(.govee, [.temperature: warm, .humidity: 52.6, .batteryLevel: 100])),
    ShowroomDevice("Govee_H5074", .values(Govee(.h5074, temperature: 19.28, humidity: 44.92, battery: 100))),
    ShowroomDevice("sps", .measuring(.inkbird, [.temperature: 26.62, .humidity: 53.79, .batteryLevel: 89])),
    ShowroomDevice("TP357", .measuring(.thermoPro, [.temperature: 27.9, .humidity: 39, .batteryLevel: 100])),
    ShowroomDevice("SwitchBot meter", .measuring(.switchBot, [.temperature: 24, .humidity: 38, .batteryLevel: 100])),
    ShowroomDevice("SwitchBot hub data", .measuring(.switchBot, [.temperature: 22.9, .humidity: 47])),
    ShowroomDevice(
        "Qingping", .measuring(.qingping, [.temperature: 19, .humidity: 52.5, .pressure: 984.2, .batteryLevel: 87])),
    ShowroomDevice(
        "Sensirion", .measuring(.sensirion, [.temperature: 25.62, .humidity: 36.16, .carbonDioxide: 1035])),
    ShowroomDevice("Mi scale 1", .values(MiScale(weight: 86.55, version: 1))),
    ShowroomDevice("Mi scale 2", .measuring(.miScale, [.mass: 85.15, .impedance: 428])),
    ShowroomDevice(
        "Aranet4",
        .measuring(
            .aranet,
            [.carbonDioxide: 879, .temperature: 26, .pressure: 804, .humidity: 19, .batteryLevel: 98])),
    ShowroomDevice("Oral-B", .measuring(.oralB, [.duration: .sweep(from: 0, to: 120, period: .seconds(240))])),
    ShowroomDevice("Mopeka", .values(Mopeka(temperature: 25, voltage: 2.9, level: 340))),
]

private let beacons: [ShowroomDevice] = [
    ShowroomDevice("iBeacon", .values(IBeacon(uuid: beaconUUID, major: 1, minor: 7))),
    ShowroomDevice("Tilt", .measuring(.tilt, [.temperature: 68, .specificGravity: 1.016])),
    ShowroomDevice("AltBeacon", .values(AltBeacon(company: 0x0118, identifier: beaconUUID.bytes + [0, 1, 0, 7]))),
    ShowroomDevice(
        "Eddystone UID",
        .values(
            Eddystone.uid(power: -18, namespace: Array(beaconUUID.bytes.prefix(10)), instance: [0, 0, 0, 0, 0, 7]))),
    ShowroomDevice("Eddystone URL", .values(Eddystone.url(power: -18, "https://example.org/"))),
    ShowroomDevice("Eddystone TLM", .measuring(.eddystone, [.voltage: 3.01, .temperature: 21.5])),
    ShowroomDevice("Eddystone EID", .values(Eddystone.ephemeral(power: -18, [1, 2, 3, 4, 5, 6, 7, 8]))),
]

private let encrypted: [ShowroomDevice] = [
    ShowroomDevice(
        "BTHome encrypted", .bthome(temperature: warm, humidity: damp, key: exampleKey(from: 0x10))),
    ShowroomDevice(
        "MiBeacon encrypted",
        .measuring(.miBeacon, [.temperature: warm, .batteryLevel: 59], key: exampleKey(from: 0x20))),
    ShowroomDevice(
        "ATC1441 encrypted",
        .measuring(
            .atc1441, [.temperature: 21.5, .humidity: 47, .batteryLevel: 95], key: exampleKey(from: 0x30))),
    ShowroomDevice(
        "pvvx encrypted",
        .measuring(.pvvx, [.temperature: 21.55, .humidity: 47, .batteryLevel: 95], key: exampleKey(from: 0x40))),
    ShowroomDevice(
        "Victron",
        .measuring(
            .victron, [.voltage: 12.53, .stateOfCharge: 50, .current: -1.4, .timeRemaining: 600],
            key: exampleKey(from: 0x50))),
]

private let recognised: [ShowroomDevice] = [
    ShowroomDevice("Phone", manufacturerData: [0x004C: [0x10, 0x05, 0x01, 0x18, 0, 0, 0]]),
    ShowroomDevice("Find My tag", manufacturerData: [0x004C: [0x12, 0x02, 0x00, 0x00]]),
    ShowroomDevice("Tracker", serviceData: ["fcb2": [0x01, 0x00]]),
    ShowroomDevice("Earphones", serviceData: ["fe2c": [0x00, 0x01, 0x02]]),
    ShowroomDevice("Exposure Notification", serviceData: ["fd6f": [UInt8](repeating: 0, count: 20)]),
]
