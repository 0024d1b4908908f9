/// The time of a device's clock.
public struct CurrentTime: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A2B

    /// The date and time.
    public var time: ClockTime
    /// 1 is Monday, 7 Sunday, 0 unknown.
    public var dayOfWeek: Int
    /// The fraction of a second, in steps of 1/256.
    public var fraction: Double
    /// The bits of the reasons why the clock was set.
    public var adjustReason: Int

    /// Makes a value.
    public init(time: ClockTime, dayOfWeek: Int, fraction: Double, adjustReason: Int) {
        self.time = time
        self.dayOfWeek = dayOfWeek
        self.fraction = fraction
        self.adjustReason = adjustReason
    }

    private static let table = ValueTable<CurrentTime>(
        0x2A2B, empty: CurrentTime(time: ClockTime(), dayOfWeek: 0, fraction: 0, adjustReason: 0),
        [
            .date("", \.time),
            .integer("Day of Week", \.dayOfWeek),
            .number("Fractions of a Second", \.fraction),
            .integer("Adjust Reason", \.adjustReason),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// A date and time.
public struct DateTime: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A08

    /// The date and time.
    public var time: ClockTime

    /// Makes a value.
    public init(_ time: ClockTime) {
        self.time = time
    }

    private static let table = ValueTable<DateTime>(
        0x2A08, empty: DateTime(ClockTime()),
        [
            .date("", \.time)
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// The time zone of a device.
public struct LocalTimeInformation: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A0F

    /// The offset from UTC in quarters of an hour; nil if unknown.
    public var timeZone: Int?
    /// The offset for daylight saving in quarters of an hour; nil if unknown.
    public var daylightSaving: Int?

    /// Makes a value.
    public init(timeZone: Int?, daylightSaving: Int?) {
        self.timeZone = timeZone
        self.daylightSaving = daylightSaving
    }

    private static let table = ValueTable<LocalTimeInformation>(
        0x2A0F, empty: LocalTimeInformation(timeZone: 0, daylightSaving: 0),
        [
            .optionalInteger("Time Zone", \.timeZone),
            .optionalInteger("DST Offset", \.daylightSaving),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}

/// Where a device's time is from.
public struct ReferenceTimeInformation: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A14

    /// 0 unknown, 1 network, 2 GPS, 3 radio, 4 manual, 5 atomic clock, 6 cellular network.
    public var source: Int
    /// The drift in seconds; nil if unknown.
    public var accuracy: Double?
    /// Days since the last update; 255 means 255 or more.
    public var daysSinceUpdate: Int
    /// Hours of the day since the last update; 255 means 255 days or more.
    public var hoursSinceUpdate: Int

    /// Makes a value.
    public init(source: Int, accuracy: Double? = nil, daysSinceUpdate: Int, hoursSinceUpdate: Int) {
        self.source = source
        self.accuracy = accuracy
        self.daysSinceUpdate = daysSinceUpdate
        self.hoursSinceUpdate = hoursSinceUpdate
    }

    private static let table = ValueTable<ReferenceTimeInformation>(
        0x2A14, empty: ReferenceTimeInformation(source: 0, daysSinceUpdate: 0, hoursSinceUpdate: 0),
        [
            .integer("Time Source", \.source),
            .optional("Time Accuracy", \.accuracy),
            .integer("Days Since Update", \.daysSinceUpdate),
            .integer("Hours Since Update", \.hoursSinceUpdate),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) { self = try Self.table.decode(bytes) }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] { try Self.table.encode(self) }
}
