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

/// Collects the parts of a ``SimulatedPeripheral``.
@resultBuilder
public enum SimulatedParts {
    /// Takes an advertisement.
    public static func buildExpression(_ part: SimulatedAdvertisement) -> [SimulatedPart] { [.advertisement(part)] }
    /// Takes an advertisement, or nothing.
    public static func buildExpression(_ part: SimulatedAdvertisement?) -> [SimulatedPart] {
        part.map { [.advertisement($0)] } ?? []
    }
    /// Takes a connection.
    public static func buildExpression(_ part: SimulatedConnection) -> [SimulatedPart] { [.connection(part)] }
    /// Takes a connection, or nothing.
    public static func buildExpression(_ part: SimulatedConnection?) -> [SimulatedPart] {
        part.map { [.connection($0)] } ?? []
    }
    /// Takes how pairing goes.
    public static func buildExpression(_ part: SimulatedPairing) -> [SimulatedPart] { [.pairing(part)] }
    /// Takes how pairing goes, or nothing.
    public static func buildExpression(_ part: SimulatedPairing?) -> [SimulatedPart] {
        part.map { [.pairing($0)] } ?? []
    }
    /// Takes a service.
    public static func buildExpression(_ part: SimulatedService) -> [SimulatedPart] { [.service(part)] }
    /// Takes a service, or nothing.
    public static func buildExpression(_ part: SimulatedService?) -> [SimulatedPart] {
        part.map { [.service($0)] } ?? []
    }
    /// Takes services that were made elsewhere.
    public static func buildExpression(_ parts: [SimulatedService]) -> [SimulatedPart] { parts.map { .service($0) } }
    /// Takes a part that was made elsewhere.
    public static func buildExpression(_ part: SimulatedPart) -> [SimulatedPart] { [part] }
    /// Takes parts that were made elsewhere.
    public static func buildExpression(_ parts: [SimulatedPart]) -> [SimulatedPart] { parts }
    /// Reports a line that is no part of a peripheral.
    @available(
        *, unavailable,
        message: """
            a line of a peripheral must be a SimulatedAdvertisement, SimulatedConnection, SimulatedPairing, \
            SimulatedService, an array of services, or an array of SimulatedPart
            """
    )
    public static func buildExpression<Other>(_ other: Other) -> [SimulatedPart] { [] }
    /// Joins the lines of a block.
    public static func buildBlock(_ parts: [SimulatedPart]...) -> [SimulatedPart] { parts.flatMap(\.self) }
    /// Joins the results of a loop.
    public static func buildArray(_ parts: [[SimulatedPart]]) -> [SimulatedPart] { parts.flatMap(\.self) }
    /// Takes the result of an `if` without `else`.
    public static func buildOptional(_ parts: [SimulatedPart]?) -> [SimulatedPart] { parts ?? [] }
    /// Takes the result of an `if` with `else`, or of a `switch`.
    public static func buildEither(first parts: [SimulatedPart]) -> [SimulatedPart] { parts }
    /// Takes the result of an `else`, or of a `switch`.
    public static func buildEither(second parts: [SimulatedPart]) -> [SimulatedPart] { parts }
    /// Takes the result of an `if #available`.
    public static func buildLimitedAvailability(_ parts: [SimulatedPart]) -> [SimulatedPart] { parts }
}
