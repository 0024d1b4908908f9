import Glibc

/// A message in wire format: the places of its header fields and of its body.
///
/// The pointers are valid as long as the bytes of the message. The texts end with a NUL. Source: D-Bus specification,
/// "Message Format".
@safe
struct WireMessage: BitwiseCopyable {
    private(set) var kind: UInt8 = 0
    private(set) var flags: UInt8 = 0
    private(set) var serial: UInt32 = 0
    private(set) var replySerial: UInt32 = 0
    /// The number of file descriptors that belong to the message.
    private(set) var descriptorCount: UInt32 = 0
    private(set) var path = WireText()
    private(set) var interface = WireText()
    private(set) var member = WireText()
    private(set) var errorName = WireText()
    private(set) var destination = WireText()
    private(set) var sender = WireText()
    private(set) var signature = WireText()
    /// All bytes of the message.
    let bytes: UnsafeRawBufferPointer
    let body: UnsafeRawBufferPointer

    // The bus validates all messages too. These checks keep a faulty bus from making this process read other memory.
    /// Reads the header of a message in the byte order of this machine; nil if the header is not valid.
    ///
    /// The body is not validated: ``MessageReader`` checks each value that it reads.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard case .message(let count, isForeign: false) = unsafe WireFrame(bytes), count == bytes.count else {
            return nil
        }
        unsafe (kind, flags) = (bytes[1], bytes[2])
        unsafe serial = bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        let fields = unsafe Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        let bodySize = unsafe Int(bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        unsafe self.bytes = bytes
        unsafe body = UnsafeRawBufferPointer(rebasing: bytes[(count - bodySize)...])
        guard serial != 0, kind != 0, readFields(upTo: 16 + fields) else { return nil }
        if unsafe signature.start == nil {
            if unsafe !body.isEmpty { return nil }
        } else if unsafe !WireSignature.isValid(signature.bytes) {
            return nil
        }
        guard hasRequiredFields else { return nil }
    }

    private var hasRequiredFields: Bool {
        switch Message.Kind(rawValue: Int32(kind)) {
        case .call: path.isPresent && member.isPresent
        case .signal: path.isPresent && member.isPresent && interface.isPresent
        case .reply: replySerial != 0
        case .error: replySerial != 0 && errorName.isPresent
        case nil: true
        }
    }

    private mutating func readFields(upTo end: Int) -> Bool {
        var position = 16
        while position < end {
            guard let next = unsafe readField(UnsafeRawBufferPointer(rebasing: bytes[position..<end])) else {
                return false
            }
            // The next field is aligned; the padding after the last field belongs to the message.
            position += (next + 7) & ~7
        }
        return true
    }

    /// Reads a header field: its code, and a value in a variant. Returns its size; nil if it is not valid.
    private mutating func readField(_ field: UnsafeRawBufferPointer) -> Int? {
        guard field.count > 4 else { return nil }
        let code = unsafe field[0]
        let type = unsafe field[1] == 1 && field[3] == 0 ? field[2] : 0
        switch (code, type) {
        case (1, UInt8(ascii: "o")): return unsafe readText(field, into: &path)
        case (2, UInt8(ascii: "s")): return unsafe readText(field, into: &interface)
        case (3, UInt8(ascii: "s")): return unsafe readText(field, into: &member)
        case (4, UInt8(ascii: "s")): return unsafe readText(field, into: &errorName)
        case (5, UInt8(ascii: "u")): return unsafe readNumber(field, into: &replySerial)
        case (6, UInt8(ascii: "s")): return unsafe readText(field, into: &destination)
        case (7, UInt8(ascii: "s")): return unsafe readText(field, into: &sender)
        case (8, UInt8(ascii: "g")): return unsafe readSignature(field)
        case (9, UInt8(ascii: "u")): return unsafe readNumber(field, into: &descriptorCount)
        case (0...9, _): return nil
        default: return unsafe sizeOfUnknownField(field)
        }
    }

    private func readText(_ field: UnsafeRawBufferPointer, into text: inout WireText) -> Int? {
        guard field.count > 8 else { return nil }
        let count = unsafe Int(clamping: field.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard count > 0, count < field.count - 8, unsafe field[8 + count] == 0 else { return nil }
        unsafe text = WireText(field, at: 8, count: count)
        return 9 + count
    }

    private mutating func readSignature(_ field: UnsafeRawBufferPointer) -> Int? {
        let count = unsafe Int(field[4])
        guard count < field.count - 5, unsafe field[5 + count] == 0 else { return nil }
        unsafe signature = WireText(field, at: 5, count: count)
        return 6 + count
    }

    private func readNumber(_ field: UnsafeRawBufferPointer, into number: inout UInt32) -> Int? {
        guard field.count >= 8 else { return nil }
        unsafe number = field.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        return 8
    }

    // The specification requires that receivers ignore unknown fields.
    private func sizeOfUnknownField(_ field: UnsafeRawBufferPointer) -> Int? {
        guard let start = field.baseAddress else { return nil }
        let types: StaticString = "yv"
        var reader = unsafe MessageReader(
            MessageBody(start: start, count: field.count, signature: types.utf8Start), .none)
        _ = try? reader.byte()
        return try? reader.endOfValue()
    }
}

/// A text in the header of a message, which ends with a NUL.
@safe
struct WireText: BitwiseCopyable {
    let start: UnsafePointer<UInt8>?
    let count: Int

    /// Makes the text of an absent field.
    init() {
        unsafe start = nil
        count = 0
    }

    fileprivate init(_ field: UnsafeRawBufferPointer, at offset: Int, count: Int) {
        unsafe start = field.baseAddress.map { unsafe ($0 + offset).assumingMemoryBound(to: UInt8.self) }
        self.count = count
    }

    /// Makes a text from a C string of libdbus.
    init(_ text: UnsafePointer<CChar>?) {
        unsafe start = text.map { unsafe UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) }
        unsafe count = text.map { unsafe strlen($0) } ?? 0
    }

    var isPresent: Bool { unsafe start != nil }
    var bytes: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: start, count: count) }
    var string: String? { isPresent ? unsafe String(decoding: bytes, as: UTF8.self) : nil }

    /// Whether the field is present and has these bytes.
    func equals(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let start = unsafe start, let second = other.baseAddress else { return false }
        return unsafe count == other.count && memcmp(start, second, count) == 0
    }

    func equals(_ other: String) -> Bool {
        var other = other
        return other.withUTF8 { unsafe equals($0) }
    }

    func equals(_ other: StaticString) -> Bool {
        unsafe equals(UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount))
    }
}

/// The size of the message at the start of some bytes.
enum WireFrame: Equatable {
    /// More bytes must arrive before the size is known.
    case incomplete
    /// The bytes of the message; they may not all have arrived. The message may have the other byte order.
    case message(count: Int, isForeign: Bool)
    /// These bytes are not a D-Bus message.
    case invalid

    init(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 16 else {
            self = .incomplete
            return
        }
        let isForeign: Bool
        switch unsafe bytes[0] {
        case UInt8(ascii: "l"): isForeign = 1.littleEndian != 1
        case UInt8(ascii: "B"): isForeign = 1.bigEndian != 1
        default:
            self = .invalid
            return
        }
        let (body, fields) = unsafe (
            bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
            bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self)
        )
        let bodySize = isForeign ? body.byteSwapped : body
        let fieldsSize = isForeign ? fields.byteSwapped : fields
        guard unsafe bytes[3] == 1, fieldsSize <= WireSize.longestArray, bodySize <= WireSize.longestMessage else {
            self = .invalid
            return
        }
        let count = 16 + (Int(fieldsSize) + 7) & ~7 + Int(bodySize)
        self = count <= WireSize.longestMessage ? .message(count: count, isForeign: isForeign) : .invalid
    }
}
