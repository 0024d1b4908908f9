internal import CDBus
import Glibc

/// The header fields of a signal that match rules compare, read once per signal.
///
/// The pointers are valid as long as libdbus's message.
@safe
struct SignalHeader {
    let path: UnsafePointer<CChar>?
    let interface: UnsafePointer<CChar>?
    let member: UnsafePointer<CChar>?
    let sender: UnsafePointer<CChar>?

    init(_ message: OpaquePointer) {
        unsafe path = dbus_message_get_path(message)
        unsafe interface = dbus_message_get_interface(message)
        unsafe member = dbus_message_get_member(message)
        unsafe sender = dbus_message_get_sender(message)
    }

    var memberKey: MemberKey {
        guard let member = unsafe member else { return .any }
        return unsafe MemberKey(UnsafeRawBufferPointer(start: member, count: strlen(member)))
    }
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

/// A text for comparisons with the texts of libdbus, which end with a NUL.
@safe
final class CText: @unchecked Sendable {
    // Guard: the bytes do not change after `init`.
    private let bytes: UnsafeMutablePointer<CChar>
    private let count: Int

    init(_ text: String) {
        count = text.utf8.count
        unsafe bytes = .allocate(capacity: count + 1)
        unsafe text.withCString { unsafe bytes.initialize(from: $0, count: count + 1) }
    }

    deinit { unsafe bytes.deallocate() }

    func equals(_ other: UnsafePointer<CChar>?) -> Bool {
        guard let other = unsafe other else { return false }
        return unsafe strcmp(bytes, other) == 0
    }

    /// Whether another path is this path, or if requested below it.
    func containsPath(_ other: UnsafePointer<CChar>?, orBelow: Bool) -> Bool {
        guard let other = unsafe other, unsafe strncmp(bytes, other, count) == 0 else { return false }
        let next = unsafe other[count]
        return next == 0 || orBelow && (count == 1 || next == CChar(UInt8(ascii: "/")))
    }
}
