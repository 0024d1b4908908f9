/// Divides the bytes of a broker into packets, with bounded memory.
///
/// A packet above ``maximumLength`` is not buffered: of a message, only the topic and the identifier are kept while the
/// rest is skipped; any other packet of this size is a violation.
struct PacketFramer {
    enum Frame: Equatable {
        case packet(header: UInt8, body: ArraySlice<UInt8>)
        /// A message that was too large: the beginning of its body, and the length of the whole body.
        case skipped(header: UInt8, start: ArraySlice<UInt8>, length: Int)
    }

    /// The longest body that is buffered. The gateway ignores payloads above 64 kB anyway.
    static let maximumLength = 256 << 10

    private enum State {
        case header
        case length(header: UInt8, VariableInteger)
        case body(header: UInt8, length: Int)
        /// Collects the beginning of a message that is too large.
        case start(header: UInt8, length: Int)
        case skipping(header: UInt8, length: Int, remaining: Int)
    }

    private var state = State.header
    private var buffer: [UInt8] = []

    /// The bytes that are kept.
    var bufferedCount: Int { buffer.count }
    /// Whether a packet has begun and is not complete.
    var isInPacket: Bool { if case .header = state { false } else { true } }

    /// Returns the next packet, and removes its bytes from the input; nil if the input is used up.
    mutating func next(_ input: inout ArraySlice<UInt8>) throws(MQTTViolation) -> Frame? {
        while true {
            switch state {
            case .header:
                guard let byte = input.popFirst() else { return nil }
                state = .length(header: byte, VariableInteger())
            case .length(let header, var integer):
                guard let byte = input.popFirst() else { return nil }
                guard let length = try integer.append(byte) else {
                    state = .length(header: header, integer)
                    continue
                }
                state = try begin(header, Int(length))
            case .body(let header, let length):
                guard let body = collect(length, &input) else { return nil }
                state = .header
                return .packet(header: header, body: body)
            case .start(let header, let length):
                guard try collectStart(header, length, &input) else { return nil }
                state = .skipping(header: header, length: length, remaining: length - buffer.count)
            case .skipping(let header, let length, let remaining):
                let count = min(remaining, input.count)
                input = input.dropFirst(count)
                guard count == remaining else {
                    state = .skipping(header: header, length: length, remaining: remaining - count)
                    return nil
                }
                state = .header
                return .skipped(header: header, start: takeBuffer(), length: length)
            }
        }
    }

    private func begin(_ header: UInt8, _ length: Int) throws(MQTTViolation) -> State {
        guard length > Self.maximumLength else { return .body(header: header, length: length) }
        guard MQTTPacketType(header) == .publish else {
            throw MQTTViolation(.tooLarge, "a packet that is no message has \(length) bytes")
        }
        return .start(header: header, length: length)
    }

    /// Returns the body when it is complete, without a copy if the input contains all of it.
    private mutating func collect(_ length: Int, _ input: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if buffer.isEmpty, input.count >= length {
            defer { input = input.dropFirst(length) }
            return input.prefix(length)
        }
        fill(to: length, &input)
        return buffer.count == length ? takeBuffer() : nil
    }

    /// Returns whether the buffer contains the topic and, with quality of service, the identifier.
    private mutating func collectStart(
        _ header: UInt8, _ length: Int, _ input: inout ArraySlice<UInt8>
    ) throws(MQTTViolation) -> Bool {
        fill(to: 2, &input)
        guard buffer.count >= 2 else { return false }
        let needed = 2 + (Int(buffer[0]) << 8 | Int(buffer[1])) + (header & 0x06 == 0 ? 0 : 2)
        fill(to: needed, &input)
        return buffer.count == needed
    }

    private mutating func fill(to count: Int, _ input: inout ArraySlice<UInt8>) {
        let missing = min(count - buffer.count, input.count)
        guard missing > 0 else { return }
        buffer.append(contentsOf: input.prefix(missing))
        input = input.dropFirst(missing)
    }

    private mutating func takeBuffer() -> ArraySlice<UInt8> {
        let result = buffer[...]
        buffer = []
        return result
    }
}

/// The packet types of MQTT, which are the upper half of the first byte.
enum MQTTPacketType: UInt8 {
    case connect = 1
    case connack, publish, puback, pubrec, pubrel, pubcomp, subscribe, suback, unsubscribe, unsuback, pingreq, pingresp
    case disconnect, auth

    init?(_ header: UInt8) { self.init(rawValue: header >> 4) }

    /// The name in the specification.
    var name: String { String(describing: self).uppercased() }
}
