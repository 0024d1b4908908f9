/// A BLE peripheral as its datasheet describes it: what it advertises, how it connects, what its GATT server holds.
///
/// It is a plain value; nothing happens before a ``Scenario`` with it is simulated.
///
///     SimulatedPeripheral("Thermometer", address: "C0:FF:EE:00:00:02") {
///         SimulatedAdvertisement(every: .milliseconds(200), rssi: -67, name: "Thermometer", services: ["181a"])
///         SimulatedService("181a") {
///             SimulatedCharacteristic("2a6e", .read([0x2E, 0x09]), .notify(every: .seconds(2)) { _ in [0x2E, 0x09] })
///         }
///     }
public struct SimulatedPeripheral: Sendable {
    /// Whether an address was assigned by the IEEE or made up by the device.
    public enum AddressType: String, Sendable {
        /// Assigned by the IEEE.
        case `public`
        /// Static random where its two topmost bits are set, else private: BlueZ forgets private ones sooner.
        case random
    }

    /// What it calls itself in its GAP service (2A00), which bluetoothd reads after each connection.
    public var name: String
    /// Its address, for example `C0:FF:EE:00:00:01`.
    public var address: String
    /// The kind of its address. Default: random.
    public var addressType: AddressType
    /// What it advertises; nil for a peripheral that stays silent.
    public var advertisement: SimulatedAdvertisement?
    /// How connecting to it goes.
    public var connection: SimulatedConnection
    /// How pairing with it goes.
    public var pairing: SimulatedPairing
    /// The services of its GATT server, in the order of their handles. GAP (1800) and GATT (1801) come before them by
    /// themselves unless they are among these.
    public var services: [SimulatedService]

    /// Makes a peripheral from its parts, in any order: at most one ``SimulatedAdvertisement``, at most one
    /// ``SimulatedConnection``, at most one ``SimulatedPairing``, and any number of ``SimulatedService``. The closure may use
    /// `if`, `switch` and `for`; a line may also be an array of parts that was made elsewhere.
    public init(
        _ name: String, address: String, addressType: AddressType = .random,
        @SimulatedParts _ parts: () -> [SimulatedPart] = { [] }
    ) {
        self.name = name
        self.address = address.uppercased()
        self.addressType = addressType
        connection = SimulatedConnection()
        pairing = SimulatedPairing()
        services = []
        for part in parts() {
            switch part {
            case .advertisement(let part): advertisement = part
            case .connection(let part): connection = part
            case .pairing(let part): pairing = part
            case .service(let part): services.append(part)
            }
        }
    }
}

/// A part of a peripheral's description.
public enum SimulatedPart: Sendable {
    /// What it advertises.
    case advertisement(SimulatedAdvertisement)
    /// How connecting to it goes.
    case connection(SimulatedConnection)
    /// How pairing with it goes.
    case pairing(SimulatedPairing)
    /// A service of its GATT server.
    case service(SimulatedService)
}
