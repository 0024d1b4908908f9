/// The charge of the battery.
public struct BatteryLevel: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A19

    /// The charge in percent.
    public var percent: Double

    /// Makes a value.
    public init(_ percent: Double) {
        self.percent = percent
    }

    private static let table = ValueTable<BatteryLevel>(
        0x2A19, empty: BatteryLevel(0),
        [
            .number("Battery Level", \.percent)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The name of the device's manufacturer.
public struct ManufacturerName: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A29

    /// The name. It is not sanitised.
    public var text: String

    /// Makes a value.
    public init(_ text: String) {
        self.text = text
    }

    private static let table = ValueTable<ManufacturerName>(
        0x2A29, empty: ManufacturerName(""),
        [
            .text("Manufacturer Name", \.text)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The model of the device.
public struct ModelNumber: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A24

    /// The model. It is not sanitised.
    public var text: String

    /// Makes a value.
    public init(_ text: String) {
        self.text = text
    }

    private static let table = ValueTable<ModelNumber>(
        0x2A24, empty: ModelNumber(""),
        [
            .text("Model Number", \.text)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The serial number of the device.
public struct SerialNumber: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A25

    /// The serial number. It is not sanitised.
    public var text: String

    /// Makes a value.
    public init(_ text: String) {
        self.text = text
    }

    private static let table = ValueTable<SerialNumber>(
        0x2A25, empty: SerialNumber(""),
        [
            .text("Serial Number", \.text)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The revision of the firmware.
public struct FirmwareRevision: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A26

    /// The revision. It is not sanitised.
    public var text: String

    /// Makes a value.
    public init(_ text: String) {
        self.text = text
    }

    private static let table = ValueTable<FirmwareRevision>(
        0x2A26, empty: FirmwareRevision(""),
        [
            .text("Firmware Revision", \.text)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The revision of the hardware.
public struct HardwareRevision: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A27

    /// The revision. It is not sanitised.
    public var text: String

    /// Makes a value.
    public init(_ text: String) {
        self.text = text
    }

    private static let table = ValueTable<HardwareRevision>(
        0x2A27, empty: HardwareRevision(""),
        [
            .text("Hardware Revision", \.text)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The revision of the software.
public struct SoftwareRevision: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A28

    /// The revision. It is not sanitised.
    public var text: String

    /// Makes a value.
    public init(_ text: String) {
        self.text = text
    }

    private static let table = ValueTable<SoftwareRevision>(
        0x2A28, empty: SoftwareRevision(""),
        [
            .text("Software Revision", \.text)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The name of the device.
public struct DeviceName: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A00

    /// The name. It is not sanitised.
    public var text: String

    /// Makes a value.
    public init(_ text: String) {
        self.text = text
    }

    private static let table = ValueTable<DeviceName>(
        0x2A00, empty: DeviceName(""),
        [
            .text("Device Name", \.text)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The appearance of the device, a number of the SIG's list.
public struct Appearance: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A01

    /// The number of the category and subcategory.
    public var number: Int

    /// Makes a value.
    public init(_ number: Int) {
        self.number = number
    }

    private static let table = ValueTable<Appearance>(
        0x2A01, empty: Appearance(0),
        [
            .integer("Appearance", \.number)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The identifier of the device: an EUI-64.
public struct SystemID: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A23

    /// The eight bytes, as they are sent.
    public var bytes: [UInt8]

    /// Makes a value.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    private static let table = ValueTable<SystemID>(
        0x2A23, empty: SystemID([UInt8](repeating: 0, count: 8)),
        [
            .bytes("EUI-64", \.bytes)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The identifiers of vendor and product.
public struct PnPID: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A50

    /// The list that the vendor's number is from: 1 is the Bluetooth SIG's, 2 the USB Forum's.
    public var source: Int
    /// The number of the vendor.
    public var vendor: Int
    /// The number of the product.
    public var product: Int
    /// The version of the product.
    public var version: Int

    /// Makes a value.
    public init(source: Int, vendor: Int, product: Int, version: Int) {
        self.source = source
        self.vendor = vendor
        self.product = product
        self.version = version
    }

    private static let table = ValueTable<PnPID>(
        0x2A50, empty: PnPID(source: 0, vendor: 0, product: 0, version: 0),
        [
            .integer("Vendor ID Source", \.source),
            .integer("Vendor ID", \.vendor),
            .integer("Product ID", \.product),
            .integer("Product Version", \.version),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The transmit power of the device.
public struct TransmitPower: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A07

    /// The power in dBm.
    public var power: Double

    /// Makes a value.
    public init(_ power: Double) {
        self.power = power
    }

    private static let table = ValueTable<TransmitPower>(
        0x2A07, empty: TransmitPower(0),
        [
            .number("Tx Power", \.power)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// How urgently a device is to alert.
public struct AlertLevel: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A06

    /// 0 is no alert, 1 a mild one, 2 a high one.
    public var level: Int

    /// Makes a value.
    public init(_ level: Int) {
        self.level = level
    }

    private static let table = ValueTable<AlertLevel>(
        0x2A06, empty: AlertLevel(0),
        [
            .integer("Alert Level", \.level)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
