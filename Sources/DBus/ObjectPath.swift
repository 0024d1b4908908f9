/// The path of an object on a bus. Every instance is valid.
public struct ObjectPath: Hashable, Sendable, CustomStringConvertible {
    /// The path as text, for example `/org/bluez/hci0`.
    public let description: String

    /// Makes a path from text; nil if the text is not an object path.
    public init?(_ text: String) {
        guard Syntax.isObjectPath(text) else { return nil }
        description = text
    }

    init(valid text: String) { description = text }

    /// The root, `/`.
    public static let root = ObjectPath(valid: "/")

    /// The path without its last element; the root if this path is the root.
    public var parent: ObjectPath {
        guard let slash = description.utf8.lastIndex(of: UInt8(ascii: "/")), slash != description.startIndex else {
            return .root
        }
        return ObjectPath(valid: String(description[..<slash]))
    }

    /// The last element of the path; empty for the root.
    public var name: Substring {
        description[
            description.index(after: description.utf8.lastIndex(of: UInt8(ascii: "/")) ?? description.startIndex)...]
    }

    /// Returns the path of a child; nil if its name is not one valid element.
    public func appending(_ element: String) -> ObjectPath? {
        guard !element.utf8.contains(UInt8(ascii: "/")) else { return nil }
        return ObjectPath(description == "/" ? "/\(element)" : "\(description)/\(element)")
    }

    // Q24: a comparison of text prefixes would take `hci10` for an object below `hci1`.
    /// Whether this path is below `other`, compared by whole elements.
    public func isBelow(_ other: ObjectPath) -> Bool {
        if other == .root { return self != .root }
        let prefix = other.description.utf8
        let own = description.utf8
        guard own.count > prefix.count, own.starts(with: prefix) else { return false }
        return own[own.index(own.startIndex, offsetBy: prefix.count)] == UInt8(ascii: "/")
    }
}

extension ObjectPath: ExpressibleByStringLiteral {
    /// Makes a path from a literal. An invalid literal is a programmer's error and traps.
    public init(stringLiteral text: StaticString) {
        guard let path = ObjectPath(text.description) else { preconditionFailure("“\(text)” is not an object path.") }
        self = path
    }
}
