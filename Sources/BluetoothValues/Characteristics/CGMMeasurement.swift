/// Values of a continuous glucose monitor, one or more in a packet.
public struct CGMMeasurement: CharacteristicValue {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2AA7

    /// The values, in the order of the packet.
    public var records: [Record]

    /// Makes a value.
    public init(_ records: [Record]) {
        self.records = records
    }

    /// Glucose at one time.
    public struct Record: Hashable, Sendable {
        /// The glucose in mg/dl.
        public var glucose: MedicalFloat
        /// The minutes since the start of the session.
        public var timeOffset: Double
        /// The bits of the octet Status; nil if it is not sent.
        public var status: Int?
        /// The bits of the octet Cal/Temp; nil if it is not sent.
        public var calibration: Int?
        /// The bits of the octet Warning; nil if it is not sent.
        public var warning: Int?
        /// The change of the glucose in mg/dl in a minute; nil if it is not sent.
        public var trend: MedicalFloat?
        /// The quality in percent; nil if it is not sent.
        public var quality: MedicalFloat?
        /// The checksum, which is not verified; nil if it is not sent.
        public var checksum: Int?

        /// Makes a record.
        public init(
            glucose: MedicalFloat, timeOffset: Double, status: Int? = nil, calibration: Int? = nil,
            warning: Int? = nil, trend: MedicalFloat? = nil, quality: MedicalFloat? = nil, checksum: Int? = nil
        ) {
            self.glucose = glucose
            self.timeOffset = timeOffset
            self.status = status
            self.calibration = calibration
            self.warning = warning
            self.trend = trend
            self.quality = quality
            self.checksum = checksum
        }
    }

    private static let table = ValueTable<Record>(
        0x2AA7, empty: Record(glucose: MedicalFloat(0), timeOffset: 0),
        [
            .medical("CGM Glucose Concentration", \.glucose),
            .number("Time Offset", \.timeOffset),
            .optionalInteger("Status", \.status),
            .optionalInteger("Cal/Temp", \.calibration),
            .optionalInteger("Warning", \.warning),
            .optionalMedical("CGM Trend Information", \.trend),
            .optionalMedical("CGM Quality", \.quality),
            .optionalInteger("E2E-CRC", \.checksum),
        ])

    /// Decodes a value. Throws with the reason if it is malformed.
    public init(decoding bytes: [UInt8]) throws(ValueDecodingError) {
        let all = try Self.table.structure.decode(bytes)
        records = []
        for entries in all.records {
            let record = CharacteristicRecord(all.structure, Array(entries))
            records.append(try Self.table.decode(record, bytes))
        }
    }

    /// Encodes the value. Throws with the field that does not fit.
    public func encoded() throws(ValueEncodingError) -> [UInt8] {
        var entries: [CharacteristicRecord.Entry] = []
        for record in records { entries += try Self.table.entries(of: record) }
        return try CharacteristicRecord(Self.table.structure, entries).encoded()
    }
}
