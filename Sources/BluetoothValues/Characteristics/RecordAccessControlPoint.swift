/// A command about stored records, for example of a glucose meter, or its reply with the number 0x05 or 0x06.
///
/// The parameters are the operator and its operand. Source: Glucose Service 1.0.1, 3.4.
public struct RecordAccessControlPoint: ControlPoint {
    /// The UUID of the characteristic.
    public static let uuid: AttributeUUID = 0x2A52
    /// The name of the characteristic.
    public static let name = "Record Access Control Point"
    /// The number of the command; 0x05 and 0x06 for a reply.
    public var opCode: UInt8
    /// The bytes after the number: the operator, and its operand.
    public var parameters: [UInt8]

    /// Makes a command with its operator and operand.
    public init(opCode: UInt8, parameters: [UInt8] = []) { (self.opCode, self.parameters) = (opCode, parameters) }

    /// Sends all stored records.
    public static let reportAllRecords = Self(opCode: 0x01, parameters: [0x01])
    /// Sends the newest stored record.
    public static let reportLastRecord = Self(opCode: 0x01, parameters: [0x06])
    /// Deletes all stored records.
    public static let deleteAllRecords = Self(opCode: 0x02, parameters: [0x01])
    /// Ends the command in progress.
    public static let abort = Self(opCode: 0x03, parameters: [0x00])
    /// Sends the number of all stored records.
    public static let reportNumberOfRecords = Self(opCode: 0x04, parameters: [0x01])

    /// The stored records that a command is about.
    public enum Records: Hashable, Sendable {
        /// All records.
        case all
        /// The oldest record.
        case first
        /// The newest record.
        case last
        /// The records from a sequence number to another one, which are from 0 to 65,535. Without either: all records.
        ///
        /// For a continuous glucose monitor, the numbers are the minutes since the beginning of the session.
        case numbers(from: Int?, through: Int?)
        /// The records from a time to another one on the clock that the user sees. Without either: all records.
        case times(from: ClockTime?, through: ClockTime?)

        /// The operator and its operand.
        fileprivate var parameters: [UInt8] {
            switch self {
            case .all: [0x01]
            case .first: [0x05]
            case .last: [0x06]
            case .numbers(let first, let last):
                Self.filter(0x01, first.map { CommandParameter.uint16($0) }, last.map { CommandParameter.uint16($0) })
            case .times(let first, let last):
                Self.filter(0x02, first.map { CommandParameter.time($0) }, last.map { CommandParameter.time($0) })
            }
        }

        private static func filter(_ type: UInt8, _ first: [UInt8]?, _ last: [UInt8]?) -> [UInt8] {
            switch (first, last) {
            case (nil, nil): [0x01]
            case (nil, let last?): [0x02, type] + last
            case (let first?, nil): [0x03, type] + first
            case (let first?, let last?): [0x04, type] + first + last
            }
        }
    }

    /// Sends records.
    public static func report(_ records: Records) -> Self { Self(opCode: 0x01, parameters: records.parameters) }

    /// Deletes records.
    public static func delete(_ records: Records) -> Self { Self(opCode: 0x02, parameters: records.parameters) }

    /// Sends the number of records.
    public static func reportNumber(of records: Records) -> Self {
        Self(opCode: 0x04, parameters: records.parameters)
    }
}
