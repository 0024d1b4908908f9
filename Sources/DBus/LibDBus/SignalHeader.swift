import Glibc

/// The header fields of a signal that match rules compare, read once per signal.
///
/// The texts are valid as long as the message.
struct SignalHeader {
    let path: WireText
    let interface: WireText
    let member: WireText
    let sender: WireText

    init(_ message: Message) {
        if case .received(let wire) = message.content {
            (path, interface, member, sender) = (wire.path, wire.interface, wire.member, wire.sender)
        } else {
            (path, interface) = (message.pathText, message.interfaceText)
            (member, sender) = (message.memberText, message.senderText)
        }
    }

    var memberKey: MemberKey { member.isPresent ? unsafe MemberKey(UnsafeRawBufferPointer(member.bytes)) : .any }
}

/// The length and the first bytes of the name of a signal: unequal keys have unequal names.
struct MemberKey: Equatable {
    private let number: UInt64

    /// The key of a rule that matches all names.
    static let any = MemberKey(of: nil)

    init(of name: String?) {
        var name = name ?? ""
        self = name.withUTF8 { unsafe MemberKey(UnsafeRawBufferPointer($0)) }
    }

    init(_ name: UnsafeRawBufferPointer) {
        var number = UInt64(truncatingIfNeeded: name.count)
        for index in 0..<min(7, name.count) { unsafe number = number << 8 | UInt64(name[index]) }
        self.number = number
    }

    /// Whether a rule with this key can match a signal with another key.
    func mayEqual(_ signal: MemberKey) -> Bool { self == signal || self == .any }
}

/// A text for comparisons with the texts of messages.
@safe
final class CText: @unchecked Sendable {
    // Guard: the bytes do not change after `init`.
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ text: String) {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = unsafe copy.initialize(fromContentsOf: text.utf8)
        unsafe bytes = UnsafeBufferPointer(copy)
    }

    deinit { unsafe bytes.deallocate() }

    func equals(_ other: WireText) -> Bool { unsafe other.equals(bytes) }

    /// Whether another path is this path, or if requested below it.
    func containsPath(_ other: WireText, orBelow: Bool) -> Bool {
        guard unsafe other.count > bytes.count else { return equals(other) }
        guard orBelow, let start = unsafe other.start, let own = unsafe bytes.baseAddress else { return false }
        let isBelow = unsafe bytes.count == 1 || start[bytes.count] == UInt8(ascii: "/")
        return unsafe isBelow && memcmp(start, own, bytes.count) == 0
    }
}
