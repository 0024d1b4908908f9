extension Characteristic {
    /// What can be done with a characteristic.
    /// Source: Core Specification 5.4, Vol 3, Part G, 3.3.1.1; BlueZ, `gatt-api.txt`, `Flags`.
    public struct Properties: OptionSet, Hashable, Sendable {
        /// The bits, as the specification numbers them.
        public let rawValue: UInt16

        /// Makes a set from its bits.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The value may be sent in advertisements.
        public static let broadcast = Properties(rawValue: 0x01)
        /// The value can be read.
        public static let read = Properties(rawValue: 0x02)
        /// The value can be written without a confirmation.
        public static let writeWithoutResponse = Properties(rawValue: 0x04)
        /// The value can be written.
        public static let write = Properties(rawValue: 0x08)
        /// The peripheral can send the value, unconfirmed.
        public static let notify = Properties(rawValue: 0x10)
        /// The peripheral can send the value, and has it confirmed.
        public static let indicate = Properties(rawValue: 0x20)
        /// The value can be written with a signature.
        public static let authenticatedSignedWrites = Properties(rawValue: 0x40)
        /// There are further properties in a descriptor.
        public static let extendedProperties = Properties(rawValue: 0x80)

        private static let flags: [(name: String, property: Properties)] = [
            ("broadcast", .broadcast), ("read", .read), ("write-without-response", .writeWithoutResponse),
            ("write", .write), ("notify", .notify), ("indicate", .indicate),
            ("authenticated-signed-writes", .authenticatedSignedWrites), ("extended-properties", .extendedProperties),
        ]

        init(flags: [String]) {
            self = []
            for flag in flags {
                if let known = Self.flags.first(where: { $0.name == flag }) { insert(known.property) }
            }
        }

        /// The names of the properties, as BlueZ writes them.
        public var names: [String] { Self.flags.filter { contains($0.property) }.map(\.name) }
    }
}
