/// How long a body has become on the wire, and how deep. libdbus sends what is too big or too deep all the same, and the bus
/// then throws us off (Q13), so it is refused here. Source: D-Bus specification, "Marshaling (Wire Format)".
struct WireSize {
    private(set) var bytes = 0
    private(set) var depth = 0

    /// A message has at most 128 MiB; some of that is left for its header.
    private static let longestBody = (128 << 20) - (64 << 10)
    /// An array has at most 64 MiB.
    static let longestArray = 64 << 20
    private static let deepest = 64

    mutating func add(_ count: Int, alignedTo alignment: Int = 1) {
        bytes = (bytes + alignment - 1) & ~(alignment - 1)
        bytes += count
    }

    /// Begins a container, whose signature counts where it is a variant.
    mutating func enter(_ type: WireType, _ signature: String?) {
        depth += 1
        switch type {
        case .array: add(4, alignedTo: 4)
        case .variant: add((signature?.utf8.count ?? 0) + 2)
        default: add(0, alignedTo: 8)
        }
    }

    mutating func leave() { depth -= 1 }

    /// Why this cannot be sent, if so.
    var failure: DBusError? {
        if bytes > Self.longestBody { return Self.tooMuch("A message has at most 128 MiB.") }
        return depth > Self.deepest ? .invalidArgument("A message nests at most 64 containers.") : nil
    }

    static func tooMuch(_ text: String) -> DBusError { DBusError(name: DBusError.Name.limitsExceeded, message: text) }
}

extension WireType {
    /// At which multiples of bytes a value begins. Source: D-Bus specification, "Summary of D-Bus marshaling".
    var alignment: Int {
        switch self {
        case .byte, .signature, .variant: 1
        case .int16, .uint16: 2
        case .int64, .uint64, .double, .structure, .entry: 8
        default: 4
        }
    }
}
