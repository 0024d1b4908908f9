/// What an advertisement says, independent of its format.
///
/// Each format has a Swift type of its own, such as ``RuuviTag``; all convert to this type.
public struct SensorReading: Hashable, Sendable {
    /// The format of the payload.
    public var format: SensorFormat
    /// The kind of device, as far as the payload names it; nil if it does not.
    public var model: String?
    /// The measured values, in the order of the payload.
    public var measurements: [SensorMeasurement] = []
    /// The numbers that the device sent and that its sensor cannot have measured, such as a humidity of 200 %.
    ///
    /// A ``SensorDecoder`` moves them here. They are neither in ``measurements`` nor returned by ``value(of:)``.
    public var impossible: [SensorMeasurement] {
        get { rare.impossible }
        set { rare.impossible = newValue }
    }
    /// States that are on or off, such as an open door.
    public var states: [SensorState] = []
    /// Occurrences, such as a pressed button. They are empty if the packet repeats an earlier one.
    public var events: [SensorEvent] = []
    /// Numbers and texts that identify the device, such as the UUID of an iBeacon.
    public var identifiers: [SensorIdentifier] = []
    /// Texts that the device sends, such as the URL of a beacon. They are not sanitised.
    public var texts: [String] {
        get { rare.texts }
        set { rare.texts = newValue }
    }
    /// The time on the device's clock, in seconds since 1970; nil if it sends none.
    public var timestamp: Int64?
    /// The number of the packet; nil if the format has none.
    public var packetCounter: UInt32?
    /// Whether the payload was encrypted.
    public var isEncrypted = false
    /// Whether the packet has the same counter as the device's packet before it; false if it has no counter.
    public var isRepeated = false
    /// The counter before the device began to count again, in the packet that proves it; nil in all others.
    public var restartedAfter: UInt32? {
        get { rare.restartedAfter }
        set { rare.restartedAfter = newValue }
    }
    /// The bytes after the last one that the format defines.
    public var surplus: [UInt8] {
        get { rare.surplus }
        set { rare.surplus = newValue }
    }

    // Apart from the others, because each array that a reading stores makes all copies slower.
    private var rareStorage = RareStorage.none

    /// Makes a reading without values.
    public init(format: SensorFormat, model: String? = nil) {
        self.format = format
        self.model = model
    }

    /// Returns the first value of a quantity; nil if there is none.
    public func value(of quantity: Quantity) -> Double? {
        for measurement in measurements where measurement.quantity == quantity { return measurement.value }
        return nil
    }

    /// The charge of the battery in percent; nil if the device does not send it.
    public var battery: Double? { value(of: .batteryLevel) }

    /// Adds a measurement if there is a value, with the next index of its quantity.
    mutating func add(_ quantity: Quantity, _ value: Double?, _ unit: MeasurementUnit) {
        guard let value else { return }
        var index = 0
        for position in measurements.indices where measurements[position].quantity == quantity { index += 1 }
        measurements.append(SensorMeasurement(quantity, value, unit, index: index))
    }

    /// Whether the reading has something that a device measured or that happened, and not only its identity.
    var hasContent: Bool {
        !(measurements.isEmpty && states.isEmpty && events.isEmpty && texts.isEmpty && timestamp == nil)
    }

    /// The values that few readings have.
    private var rare: RareValues {
        get { if case .some(let values) = rareStorage { values } else { RareValues() } }
        set { rareStorage = newValue == RareValues() ? .none : .some(newValue) }
    }

    private struct RareValues: Hashable, Sendable {
        var impossible: [SensorMeasurement] = []
        var texts: [String] = []
        var surplus: [UInt8] = []
        var restartedAfter: UInt32?
    }

    private indirect enum RareStorage: Hashable, Sendable {
        /// All values are empty.
        case none
        case some(RareValues)
    }

    /// Moves the measurements that are not possible to ``impossible``.
    mutating func separateImpossible() {
        let found = measurements.filter { !PossibleValues.contain($0, of: format) }
        // Nearly all readings have none, and are not copied.
        guard !found.isEmpty else { return }
        impossible += found
        measurements.removeAll { !PossibleValues.contain($0, of: format) }
    }
}

/// A state of a device that is on or off.
public struct SensorState: Hashable, Sendable {
    /// What the state is about.
    public var kind: Kind
    /// Whether the state is on: open, detected, locked, charging, wet.
    public var isOn: Bool

    /// Makes a state.
    public init(_ kind: Kind, _ isOn: Bool) {
        self.kind = kind
        self.isOn = isOn
    }

    /// What a state is about. On means what the name says.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A state without a stated meaning.
        case generic
        /// The power is on.
        case power
        /// Something is open.
        case opening
        /// The battery is low.
        case batteryLow
        /// The battery is charging.
        case batteryCharging
        /// Carbon monoxide was detected.
        case carbonMonoxide
        /// It is cold.
        case cold
        /// The device is connected.
        case connectivity
        /// A door is open.
        case door
        /// A garage door is open.
        case garageDoor
        /// Gas was detected.
        case gas
        /// It is hot.
        case heat
        /// Light was detected.
        case light
        /// A lock is unlocked.
        case unlocked
        /// Water or moisture was detected.
        case moisture
        /// Motion was detected.
        case motion
        /// The device is moving.
        case moving
        /// A room is occupied.
        case occupancy
        /// Something is plugged in.
        case plug
        /// Presence was detected.
        case presence
        /// There is a problem.
        case problem
        /// The device is running.
        case running
        /// It is safe.
        case safety
        /// Smoke was detected.
        case smoke
        /// Sound was detected.
        case sound
        /// The device was tampered with.
        case tamper
        /// Vibration was detected.
        case vibration
        /// A window is open.
        case window
        /// A measurement is stable.
        case stable
        /// Load was removed from a scale.
        case loadRemoved
        /// A calibration is in progress.
        case calibrating
        /// A button is held.
        case button
        /// An alarm is active.
        case alarm
        /// The device is armed.
        case armed
        /// Nothing was detected for a time.
        case idle
        /// A bed or chair is occupied.
        case inUse
    }
}

/// An occurrence that a device reports once.
public enum SensorEvent: Hashable, Sendable {
    /// A button was pressed. Buttons are counted from 1, as on the devices.
    case button(index: Int, ButtonPress)
    /// A dimmer was turned by steps; negative steps are to the left. Dimmers are counted from 1.
    case dimmer(index: Int, steps: Int)
    /// Motion was detected.
    case motion
    /// A named occurrence of a vendor, with its code.
    case other(String, code: Int)

    /// How a button was pressed.
    public enum ButtonPress: String, Hashable, Sendable, CaseIterable {
        /// Pressed once.
        case press
        /// Pressed twice.
        case doublePress
        /// Pressed three times.
        case triplePress
        /// Pressed long.
        case longPress
        /// Pressed twice, long.
        case longDoublePress
        /// Pressed three times, long.
        case longTriplePress
        /// Held.
        case hold
        /// Released.
        case release
    }
}

/// A number or text that identifies a device or its place.
public struct SensorIdentifier: Hashable, Sendable {
    /// What the identifier is.
    public var kind: Kind
    /// The identifier.
    public var value: Value

    /// Makes an identifier.
    public init(_ kind: Kind, _ value: Value) {
        self.kind = kind
        self.value = value
    }

    /// Makes an identifier from text.
    public init(_ kind: Kind, _ text: String) { self.init(kind, .text(text)) }

    /// An identifier. Making its text takes time, which most advertisements do not need.
    public enum Value: Hashable, Sendable {
        /// A text. It is not sanitised.
        case text(String)
        /// A number, written in decimal digits.
        case number(UInt64)
        /// Bytes, written in hexadecimal digits.
        case bytes([UInt8])
        /// A Bluetooth address.
        case address(SenderAddress)
        /// A UUID.
        case uuid(AttributeUUID)
    }

    /// The identifier as text.
    public var text: String {
        switch value {
        case .text(let text): text
        case .number(let number): String(number)
        case .bytes(let bytes): HexText.text(bytes)
        case .address(let address): address.description
        case .uuid(let uuid): uuid.description
        }
    }

    /// What an identifier is.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The 128-bit UUID of an iBeacon.
        case uuid
        /// The major number of an iBeacon.
        case major
        /// The minor number of an iBeacon.
        case minor
        /// A number that organises beacons, in hexadecimal digits.
        case namespace
        /// A number within a namespace, in hexadecimal digits.
        case instance
        /// An identifier that changes, in hexadecimal digits.
        case ephemeral
        /// The Bluetooth address in the payload.
        case address
        /// A number of the product's type.
        case product
        /// The version of the firmware.
        case firmware
        /// A number of the device.
        case device
    }
}
