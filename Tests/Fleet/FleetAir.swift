import BluetoothValues
import RxBluetooth

/// The devices of a simulated building, and what gateways hear of them.
final class FleetAir {
    struct Device {
        let address: BluetoothAddress
        /// The mean signal strengths at the gateways in range, by their numbers.
        let strengths: [(gateway: Int, rssi: Double)]
        let hasJobs: Bool
        /// Whether gateways connect to it. Otherwise all of them hear it all the time.
        let isLinkable: Bool
        /// Whether the configurations contain it.
        let isDescribed: Bool
        /// Hundredths of a degree.
        var temperature: Int
        /// The number of the gateway that has a link.
        var link: Int?
    }

    private(set) var devices: [Device] = []
    /// The devices by the tenth of a second in which they advertise, within ten seconds.
    private var slots = [[Int]](repeating: [], count: 100)
    private var random: FleetRandom

    /// The distance between two gateways, and the weakest packet that is received.
    private static let spacing = 15.0
    private static let weakest = -92.0

    /// Places devices at random in a square of gateways.
    ///
    /// Every tenth device has GATT jobs. Of 50 others, one has jobs that need no link now, and one has only a room.
    init(gateways: Int, devices count: Int, seed: UInt64) {
        random = FleetRandom(state: seed)
        let side = Int(Double(gateways).squareRoot().rounded(.up))
        let width = Double(side) * Self.spacing
        for index in 0..<count {
            let place = (
                x: Double.random(in: 0..<width, using: &random), y: Double.random(in: 0..<width, using: &random)
            )
            let strengths = (0..<gateways).compactMap { gateway -> (gateway: Int, rssi: Double)? in
                let x = (Double(gateway % side) + 0.5) * Self.spacing - place.x
                let y = (Double(gateway / side) + 0.5) * Self.spacing - place.y
                let rssi = Self.strength(x * x + y * y)
                return rssi > Self.weakest ? (gateway, rssi) : nil
            }
            devices.append(
                Device(
                    address: BluetoothAddress(0xC000_0000_0000 + UInt64(index)), strengths: strengths,
                    hasJobs: index % 10 == 0 || index % 50 == 15, isLinkable: index % 50 != 15,
                    isDescribed: index % 10 == 0 || index % 50 == 15 || index % 50 == 5,
                    temperature: Int.random(in: 1500...2500, using: &random), link: nil))
            let first = Int.random(in: 0..<100, using: &random)
            // Devices with jobs advertise every two seconds, the others every ten.
            for slot in stride(from: first, to: first + 100, by: devices[index].hasJobs ? 20 : 100) {
                slots[slot % 100].append(index)
            }
        }
    }

    /// The path loss: 60 dB at 1 m, 25 dB more for each ten times the distance, from the square of the distance.
    private static func strength(_ square: Double) -> Double {
        var (ratio, decades) = (max(1, square.squareRoot()), 0.0)
        while ratio > 10 {
            ratio /= 10
            decades += 1
        }
        // A chord of the logarithm is precise enough.
        return -60 - 25 * (decades + (ratio - 1) / 9)
    }

    /// Calls `receive` for each reception of a tenth of a second.
    func advance(
        _ tick: Int, _ receive: (_ gateway: Int, BluetoothAddress, _ rssi: Int, [AdvertisedSection]) -> Void
    ) {
        for index in slots[tick % 100] where devices[index].link == nil {
            // A slow random walk.
            if Int.random(in: 0..<20, using: &random) == 0 {
                devices[index].temperature += Int.random(in: -10...10, using: &random)
            }
            let temperature = UInt16(truncatingIfNeeded: devices[index].temperature)
            let bytes: [UInt8] = [0x40, 0x02, UInt8(temperature & 0xFF), UInt8(temperature >> 8)]
            let sections = [AdvertisedSection.service(0xFCD2, bytes)]
            for (gateway, mean) in devices[index].strengths {
                // Four uniform numbers are nearly normal; 6 dB of noise.
                let sum = (0..<4).reduce(-2.0) { sum, _ in sum + random.unit() }
                let rssi = mean + 6 * 1.732 * sum
                if rssi > Self.weakest { receive(gateway, devices[index].address, Int(rssi), sections) }
            }
        }
    }

    private func index(_ address: BluetoothAddress) -> Int { Int(address.number - 0xC000_0000_0000) }

    func device(_ address: BluetoothAddress) -> Device { devices[index(address)] }

    /// Connects a device to a gateway. Returns false if it has a link.
    func connect(_ address: BluetoothAddress, to gateway: Int) -> Bool {
        guard devices[index(address)].link == nil else { return false }
        devices[index(address)].link = gateway
        return true
    }

    func disconnect(_ address: BluetoothAddress, from gateway: Int) {
        if devices[index(address)].link == gateway { devices[index(address)].link = nil }
    }
}

/// Random numbers that a seed determines.
struct FleetRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a number from 0 to 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
