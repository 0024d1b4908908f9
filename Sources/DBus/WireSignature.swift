/// Functions on a signature, which ends with a NUL.
///
/// ``isValid(_:)`` must have accepted a signature before the other functions use it. They rely on balanced brackets.
@safe
enum WireSignature {
    /// Returns the type at the start of a signature; `.end` at its end, or at the end of a structure or an entry.
    static func type(_ signature: UnsafePointer<UInt8>) -> WireType {
        switch unsafe signature.pointee {
        case UInt8(ascii: "("): .structure
        case UInt8(ascii: "{"): .entry
        case 0, UInt8(ascii: ")"), UInt8(ascii: "}"): .end
        case let character: WireType(rawValue: Int32(character))
        }
    }

    /// Returns the rest of a signature after its first complete type.
    static func end(of signature: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        var rest = unsafe signature
        while unsafe rest.pointee == UInt8(ascii: "a") { unsafe rest += 1 }
        var depth = 0
        repeat {
            switch unsafe rest.pointee {
            case 0: return unsafe rest
            case UInt8(ascii: "("), UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
            unsafe rest += 1
        } while depth > 0
        return unsafe rest
    }

    // MARK: Validation

    /// The maximum number of nested arrays, and of nested structures. Source: D-Bus specification, "Valid Signatures".
    private static let deepest = 32

    /// Whether a signature consists of complete types.
    static func isValid(_ signature: UnsafeBufferPointer<UInt8>) -> Bool {
        var position = 0
        while position < signature.count {
            guard let next = unsafe typeEnd(signature, position, arrays: 0, structures: 0) else { return false }
            position = next
        }
        return signature.count <= 255
    }

    /// Whether a signature is one complete type, as in a variant.
    static func isOneType(_ signature: UnsafeBufferPointer<UInt8>) -> Bool {
        guard signature.count > 1 else { return unsafe signature.count == 1 && isBasicOrVariant(signature[0]) }
        return unsafe typeEnd(signature, 0, arrays: 0, structures: 0) == signature.count
    }

    /// Returns the position after the complete type at a position; nil if there is no complete type.
    private static func typeEnd(
        _ signature: UnsafeBufferPointer<UInt8>, _ start: Int, arrays: Int, structures: Int
    ) -> Int? {
        guard start < signature.count, arrays <= deepest, structures <= deepest else { return nil }
        switch unsafe signature[start] {
        case UInt8(ascii: "a"):
            if start + 1 < signature.count, unsafe signature[start + 1] == UInt8(ascii: "{") {
                return unsafe entryEnd(signature, start + 2, arrays: arrays + 1, structures: structures + 1)
            }
            return unsafe typeEnd(signature, start + 1, arrays: arrays + 1, structures: structures)
        case UInt8(ascii: "("):
            var position = start + 1
            repeat {
                let member = unsafe typeEnd(signature, position, arrays: arrays, structures: structures + 1)
                guard let member, member < signature.count else { return nil }
                position = member
            } while unsafe signature[position] != UInt8(ascii: ")")
            return position + 1
        case let character: return isBasicOrVariant(character) ? start + 1 : nil
        }
    }

    private static func entryEnd(
        _ signature: UnsafeBufferPointer<UInt8>, _ key: Int, arrays: Int, structures: Int
    ) -> Int? {
        guard key < signature.count, unsafe signature[key] != UInt8(ascii: "v"),
            unsafe isBasicOrVariant(signature[key]),
            let end = unsafe typeEnd(signature, key + 1, arrays: arrays, structures: structures),
            end < signature.count, unsafe signature[end] == UInt8(ascii: "}")
        else { return nil }
        return end + 1
    }

    private static func isBasicOrVariant(_ character: UInt8) -> Bool {
        switch WireType(rawValue: Int32(character)) {
        case .byte, .bool, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath,
            .signature, .descriptor, .variant:
            true
        default: false
        }
    }
}
