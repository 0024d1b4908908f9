/// Which signals a subscriber wants. A bus delivers a signal once to each subscription whose rule fits it.
///
/// Every rule names a sender, so that nobody else can speak in its name (Q17): a bus also checks the sender of signals
/// that were addressed to this process directly. Source: D-Bus specification, "Match Rules".
public struct MatchRule: Hashable, Sendable {
    /// The sender: a unique name, or a well-known name whose owner at that moment must have sent the signal.
    public var sender: String
    /// The interface of the signal; nil for any.
    public var interface: String?
    /// The name of the signal; nil for any.
    public var member: String?
    /// The object that signals must be this one or, with ``includesChildren``, lie below it; nil for any.
    public var path: ObjectPath?
    /// Whether objects below ``path`` are meant too (`path_namespace`).
    public var includesChildren: Bool
    /// What the first argument, a string, must be; nil for anything.
    public var firstArgument: String?
    /// The first argument, an object path, must be this one or lie below it (`arg0path`); nil for anything.
    public var firstArgumentPath: ObjectPath?

    /// Makes a rule; what is left out fits everything.
    public init(
        sender: String, interface: String? = nil, member: String? = nil, path: ObjectPath? = nil,
        includesChildren: Bool = false, firstArgument: String? = nil, firstArgumentPath: ObjectPath? = nil
    ) {
        self.sender = sender
        self.interface = interface
        self.member = member
        self.path = path
        self.includesChildren = includesChildren
        self.firstArgument = firstArgument
        self.firstArgumentPath = firstArgumentPath
    }

    /// The rule as `AddMatch` takes it. Throws where one of its names is not valid D-Bus.
    public func text() throws(DBusError) -> String {
        guard Syntax.isBusName(sender) else { throw .invalidArgument("“\(sender)” is not a bus name.") }
        var parts = ["type='signal'", "sender='\(sender)'"]
        if let interface {
            guard Syntax.isInterface(interface) else { throw .invalidArgument("“\(interface)” is not an interface.") }
            parts.append("interface='\(interface)'")
        }
        if let member {
            guard Syntax.isMember(member) else { throw .invalidArgument("“\(member)” is not a signal name.") }
            parts.append("member='\(member)'")
        }
        if let path { parts.append("\(includesChildren ? "path_namespace" : "path")='\(path)'") }
        if let firstArgument {
            guard !firstArgument.contains("'"), !firstArgument.utf8.contains(0) else {
                throw .invalidArgument("The first argument of a rule cannot bear an apostrophe or a NUL.")
            }
            parts.append("arg0='\(firstArgument)'")
        }
        // A trailing slash asks for what lies below; the root has one already.
        if let path = firstArgumentPath { parts.append("arg0path='\(path == .root ? "/" : "\(path)/")'") }
        return parts.joined(separator: ",")
    }

    /// Whether a signal fits everything but the sender, which only a bus can judge.
    public func fits(_ signal: Message) -> Bool {
        guard signal.kind == .signal else { return false }
        if let interface, !signal.hasInterface(interface) { return false }
        if let member, !signal.hasMember(member) { return false }
        if let path, !signal.withPath({ Self.isWithin($0, path, orBelow: includesChildren) }) { return false }
        guard firstArgument != nil || firstArgumentPath != nil else { return true }
        let argument = try? signal.read { (body) throws(DBusError) in
            body.type == .objectPath ? try body.objectPath().description : try body.string()
        }
        guard let argument else { return false }
        if let firstArgument, argument != firstArgument { return false }
        if let path = firstArgumentPath, argument != path.description {
            guard let argument = ObjectPath(argument), argument.isBelow(path) else { return false }
        }
        return true
    }

    private static func isWithin(_ bytes: Span<UInt8>, _ path: ObjectPath, orBelow: Bool) -> Bool {
        let own = path.description.utf8
        guard bytes.count == own.count || orBelow && bytes.count > own.count else { return false }
        var index = 0
        for byte in own {
            guard bytes[index] == byte else { return false }
            index += 1
        }
        return bytes.count == own.count || path == .root || bytes[index] == UInt8(ascii: "/")
    }
}
