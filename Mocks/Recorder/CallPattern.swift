import DBus

/// Selects calls by method, object path and property.
///
/// A method is written as `StartDiscovery` (of any interface), as `Adapter1.StartDiscovery`, or in full as
/// `org.bluez.Adapter1.StartDiscovery`. `*` matches any method, and `Device1.*` any method of that interface.
///
/// In a path, `*` matches any characters: `/org/bluez/hci0/dev_C0*`.
/// `property` restricts `Properties.Get` and `Properties.Set` to one property.
public struct CallPattern: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The interface, in full or its last component; `*` for any.
    public let interface: String
    /// The method; `*` for any.
    public let member: String
    /// The object path. `*` matches any characters.
    public let path: String
    /// The property that the call reads or writes; nil to match any call of the method.
    public let property: String?

    /// Creates a pattern. See the description of the type.
    public init(_ method: String, at path: String = "*", property: String? = nil) {
        let dot = method.lastIndex(of: ".")
        interface = dot.map { String(method[..<$0]) } ?? "*"
        member = dot.map { String(method[method.index(after: $0)...]) } ?? method
        self.path = path
        self.property = property
    }

    /// Creates a pattern for a method on any object.
    public init(stringLiteral method: String) { self.init(method) }

    /// The method, and the path if it is not `*`.
    public var description: String {
        let method = interface == "*" ? member : "\(interface).\(member)"
        return method + (property.map { "(\($0))" } ?? "") + (path == "*" ? "" : " at \(path)")
    }

    func matches(_ call: RecordedCall) -> Bool {
        (member == "*" || member == call.member) && matches(interface: call.interface)
            && (path == "*" || Self.matches(Array(call.path.utf8)[...], Array(path.utf8)[...]))
            && (property == nil || call.arguments.dropFirst().first == property.map { .string($0) })
    }

    private func matches(interface called: String) -> Bool {
        if interface == "*" || interface == called { return true }
        return !interface.contains(".") && called.split(separator: ".").last == interface[...]
    }

    private static func matches(_ text: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        guard first == UInt8(ascii: "*") else { return text.first == first && matches(text.dropFirst(), rest) }
        return (text.startIndex...text.endIndex).contains { matches(text[$0...], rest) }
    }
}
