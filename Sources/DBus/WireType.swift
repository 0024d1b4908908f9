/// The type of the value at which a reader stands, or that a writer appends.
/// libdbus's `DBUS_TYPE_*` are macros that Swift does not import. Source: D-Bus specification, "Summary of types".
public struct WireType: RawRepresentable, Hashable, Sendable {
    /// The type's character in a signature, or 0 after the last value.
    public let rawValue: Int32

    /// Makes a type from its character.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    private init(_ character: Unicode.Scalar) { rawValue = Int32(character.value) }

    static let end = WireType(rawValue: 0)
    static let byte = WireType("y")
    static let bool = WireType("b")
    static let int16 = WireType("n")
    static let uint16 = WireType("q")
    static let int32 = WireType("i")
    static let uint32 = WireType("u")
    static let int64 = WireType("x")
    static let uint64 = WireType("t")
    static let double = WireType("d")
    static let string = WireType("s")
    static let objectPath = WireType("o")
    static let signature = WireType("g")
    static let descriptor = WireType("h")
    static let array = WireType("a")
    static let variant = WireType("v")
    static let structure = WireType("r")
    static let entry = WireType("e")

    var text: String { rawValue == 0 ? "nothing" : String(Unicode.Scalar(UInt8(truncatingIfNeeded: rawValue))) }
}
