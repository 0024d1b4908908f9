import DBus

/// Which calls are meant: a method, and the objects on which it is called.
///
/// A method is written as `StartDiscovery` (of whatever interface), `Adapter1.StartDiscovery`, in full as
/// `org.bluez.Adapter1.StartDiscovery`, or with a star for any: `Device1.*`, `*`. In a path a star stands for any
/// characters: `/org/bluez/hci0/dev_C0*`. `property` narrows `Properties.Get` and `Properties.Set` to one property.
public struct CallPattern: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The interface, in full or its last word; `*` for any.
    public let interface: String
    /// The method; `*` for any.
    public let member: String
    /// The path of the object, in which `*` stands for any characters.
    public let path: String
    /// The property that is asked for or set; nil for any, and for methods that are not about one.
    public let property: String?

    /// Makes a pattern, as the type's description says.
    public init(_ method: String, at path: String = "*", property: String? = nil) {
        let dot = method.lastIndex(of: ".")
        interface = dot.map { String(method[..<$0]) } ?? "*"
        member = dot.map { String(method[method.index(after: $0)...]) } ?? method
        self.path = path
        self.property = property
    }

    /// A pattern for a method on any object.
    public init(stringLiteral method: String) { self.init(method) }

    /// The method and, where it is not any, the path.
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
