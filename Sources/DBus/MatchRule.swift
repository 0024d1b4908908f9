// Q17: any process can send a signal directly to us, whatever our rules are. So each `Bus` also checks the sender.

/// A filter for signals. A bus delivers a signal once to each subscription with a matching rule.
///
/// Every rule names a sender, so that no other process can forge its signals. Source: D-Bus specification, "Match
/// Rules".
public struct MatchRule: Hashable, Sendable {
    /// The sender: a unique name, or a well-known name, which stands for its present owner.
    public var sender: String
    /// The interface of the signal; nil for any.
    public var interface: String?
    /// The name of the signal; nil for any.
    public var member: String?
    /// The object that sends the signal, or with ``includesChildren`` an ancestor of it; nil for any.
    public var path: ObjectPath?
    /// Whether objects below ``path`` also match (`path_namespace`).
    public var includesChildren: Bool
    /// The value of the first argument, a string (`arg0`); nil for any.
    public var firstArgument: String?
    /// An ancestor of the path in the first argument, a path or a string (`arg0path`); nil for any.
    public var firstArgumentPath: ObjectPath?

    /// Makes a rule. An omitted condition matches all signals.
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

    /// Returns the rule in the text form of `AddMatch`. Throws if one of its names is not valid D-Bus.
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
            guard !firstArgument.utf8.contains(0) else {
                throw .invalidArgument("The first argument of a rule cannot contain a NUL.")
            }
            // The grammar requires that an apostrophe is outside of the quotes and follows a backslash.
            let pieces = firstArgument.split(separator: "'", omittingEmptySubsequences: false)
            parts.append("arg0='\(pieces.joined(separator: #"'\''"#))'")
        }
        // The trailing slash makes the rule match all paths below. The root path already ends with a slash.
        if let path = firstArgumentPath { parts.append("arg0path='\(path == .root ? "/" : "\(path)/")'") }
        let text = parts.joined(separator: ",")
        guard text.utf8.count <= 1024 else { throw .invalidArgument("A match rule has at most 1,024 bytes.") }
        return text
    }

    /// Whether a signal matches everything except the sender, which only a bus can check.
    public func matches(_ signal: Message) -> Bool {
        guard signal.kind == .signal else { return false }
        if let interface, !signal.hasInterface(interface) { return false }
        if let member, !signal.hasMember(member) { return false }
        if let path, !signal.withPath({ Self.isWithin($0, path, orBelow: includesChildren) }) { return false }
        guard firstArgument != nil || firstArgumentPath != nil else { return true }
        let isMatch = try? signal.read { (body) throws(DBusError) in
            // As on a real bus, `arg0` matches only strings, and `arg0path` matches strings and object paths.
            let isPath = body.type == .objectPath && firstArgument == nil
            return try isPath ? body.withObjectPath(matchesArgument) : body.withString(matchesArgument)
        }
        return isMatch ?? false
    }

    private func matchesArgument(_ argument: Span<UInt8>) -> Bool {
        if let firstArgument {
            guard Self.starts(argument, with: firstArgument), argument.count == firstArgument.utf8.count else {
                return false
            }
        }
        guard let path = firstArgumentPath else { return true }
        return argument.count > path.description.utf8.count && Self.isWithin(argument, path, orBelow: true)
    }

    private static func isWithin(_ bytes: Span<UInt8>, _ path: ObjectPath, orBelow: Bool) -> Bool {
        let text = path.description
        let count = text.utf8.count
        guard starts(bytes, with: text) else { return false }
        if bytes.count == count { return true }
        return orBelow && (path == .root || bytes[count] == UInt8(ascii: "/"))
    }

    private static func starts(_ bytes: Span<UInt8>, with text: String) -> Bool {
        guard bytes.count >= text.utf8.count else { return false }
        var index = 0
        for byte in text.utf8 {
            guard bytes[index] == byte else { return false }
            index += 1
        }
        return true
    }
}
