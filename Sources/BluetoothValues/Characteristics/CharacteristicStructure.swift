/// The structure of a characteristic's value: its fields in their order.
///
/// ``all`` has the structures that the Bluetooth SIG publishes. Source: GATT Specification Supplement.
public struct CharacteristicStructure: Hashable, Sendable {
    /// The 16-bit UUID of the characteristic.
    public let uuid: UInt16
    /// The name of the characteristic.
    public let name: String
    /// The fields, in the order of the value.
    public let fields: [Field]
    /// Whether a value is a sequence of records of the fields. Each record begins with a byte that is its size.
    public let isSequence: Bool
    let hasLevels: Bool

    init(_ uuid: UInt16, _ name: String, isSequence: Bool = false, _ fields: [[Field]]) {
        self.uuid = uuid
        self.name = name
        self.fields = fields.flatMap { $0 }
        self.isSequence = isSequence
        hasLevels = self.fields.contains(where: \.type.isLevel)
    }

    /// A field of a value.
    public struct Field: Hashable, Sendable {
        /// The name of the field. Alternatives, of which a value has one, may have the same name.
        public let name: String
        /// The unit of the field.
        public let unit: MeasurementUnit
        let type: FieldType
        let scale: Scale
        let unknown: Int64?
        /// The integers with another meaning.
        let special: [Int64: SpecialMeaning]
        /// The integers that the specification allows besides the others; nil if it allows all.
        let valid: ClosedRange<Int64>?
        let datePart: DatePart?
        let condition: FieldCondition

        /// Whether the value is a text. It is ``FieldValue/bytes(_:)`` if it is not UTF-8.
        public var isText: Bool {
            switch type {
            case .text, .fixedText, .terminatedText: true
            default: false
            }
        }

        /// The number that the integer 1 stands for, in the unit, without the offset that some fields have.
        package var factor: Double { Double(scale.multiplier) / Double(scale.divisor) }

        /// Whether the value is one number, and not a text, a list or bytes.
        package var isNumber: Bool {
            switch type {
            case .text, .fixedText, .terminatedText, .bytes, .rest, .u16List, .s16List: false
            default: true
            }
        }
    }

    /// Returns the structure of a characteristic; nil if the SIG publishes none.
    public static func structure(of uuid: UInt16) -> CharacteristicStructure? { byUUID[uuid] }

    /// All structures, in the order of their UUIDs.
    public static let all: [CharacteristicStructure] = SIGStructures.all

    private static let byUUID = Dictionary(uniqueKeysWithValues: all.map { ($0.uuid, $0) })

    /// Returns the structure of a descriptor; nil if the SIG publishes none.
    public static func structure(ofDescriptor uuid: UInt16) -> CharacteristicStructure? {
        descriptors.first { $0.uuid == uuid }
    }

    /// The structures of all descriptors, in the order of their UUIDs.
    public static let descriptors: [CharacteristicStructure] = SIGStructures.ofDescriptors
}

/// How a field is stored.
enum FieldType: Hashable, Sendable {
    case u8, u16, u24, u32, u48
    case s8, s16, s24, s32
    /// One or two bytes, as many as there are. Encoding makes two.
    case u8OrU16
    /// One byte, or a signed number of two bytes with a scale of its own. The length of the whole value decides.
    case level(wide: Scale)
    /// Some bits. Fields of bits that follow each other share bytes, from the lowest bit on.
    case bits(Int)
    /// A medical number of 16 bits.
    case sfloat
    /// A medical number of 32 bits.
    case float
    /// A number in the 32-bit format of IEEE 754.
    case float32
    /// A time of 1.1 to the power of (number − 64), in seconds.
    case exponential
    /// UTF-8 up to the end.
    case text
    /// UTF-8 up to a zero or the end. Encoding makes the zero.
    case terminatedText
    /// UTF-8 of a number of bytes, padded with zeros.
    case fixedText(Int)
    /// A number of bytes.
    case bytes(Int)
    /// All bytes up to the end.
    case rest
    /// Numbers of 16 bits up to the end.
    case u16List, s16List

    /// Whether the number of bytes is found by the length of the whole value.
    var isLevel: Bool { if case .level = self { true } else { false } }

    /// The place of an integer; nil for a field that is not an integer.
    var cell: Cell? {
        switch self {
        case .u8, .exponential, .level: .u8(0)
        case .u16, .u8OrU16: .u16(0)
        case .u24: .u24(0)
        case .u32, .float32: .u32(0)
        case .u48: .u48(0)
        case .s8: .s8(0)
        case .s16: .s16(0)
        case .s24: .s24(0)
        case .s32: .s32(0)
        default: nil
        }
    }
}

/// When a field is present.
enum FieldCondition: Hashable, Sendable {
    case always
    /// These bits of the first field have this value.
    case flags(mask: Int64, value: Int64)
    /// The field before it is not zero.
    case previousNotZero
    /// The value has more bytes.
    case more

    /// A bit of the first field is set.
    static func bit(_ bit: Int64) -> FieldCondition { .flags(mask: 1 << bit, value: 1 << bit) }
    /// A bit of the first field is not set.
    static func noBit(_ bit: Int64) -> FieldCondition { .flags(mask: 1 << bit, value: 0) }
    /// The first field has this value.
    static func first(_ value: Int64) -> FieldCondition { .flags(mask: 0xFF, value: value) }

    func isMet(first: Int64, previous: Int64, hasMore: Bool) -> Bool {
        switch self {
        case .always: true
        case .flags(let mask, let value): first & mask == value
        case .previousNotZero: previous != 0
        case .more: hasMore
        }
    }
}

extension CharacteristicStructure.Field {
    /// Whether the value is an integer without a unit.
    var isPlain: Bool { unit == .none && scale == .one && !type.isLevel }
}

extension [CharacteristicStructure.Field] {
    /// One field.
    static func field(
        _ name: String, _ type: FieldType, _ scale: Scale = .one, _ unit: MeasurementUnit = .none,
        unknown: Int64? = nil, special: [Int64: SpecialMeaning] = [:], valid: ClosedRange<Int64>? = nil,
        part: DatePart? = nil, if condition: FieldCondition = .always
    ) -> Self {
        [
            .init(
                name: name, unit: unit, type: type, scale: scale, unknown: unknown, special: special, valid: valid,
                datePart: part, condition: condition)
        ]
    }

    /// The seven bytes of a date and time. Year, month and day are 0 if they are not known.
    static func date(_ name: String = "", if condition: FieldCondition = .always) -> Self {
        let start = name.isEmpty ? "" : name + " "
        return field(start + "Year", .u16, valid: 1582...9999, part: .year, if: condition)
            + field(start + "Month", .u8, valid: 1...12, part: .month, if: condition)
            + field(start + "Day", .u8, valid: 1...31, part: .day, if: condition)
            + field(start + "Hours", .u8, valid: 0...23, if: condition)
            + field(start + "Minutes", .u8, valid: 0...59, if: condition)
            + field(start + "Seconds", .u8, valid: 0...59, if: condition)
    }
}
