// Q6: libdbus aborts the process on an invalid name, so all names are checked here first.

/// The grammar of names on a bus. Source: D-Bus specification, "Valid Names".
public enum Syntax {
    /// The longest name that a bus accepts, in bytes.
    static let longestName = 255

    /// Whether `name` is an interface name. Error names have the same form.
    public static func isInterface(_ name: String) -> Bool {
        elements(name, atLeast: 2) {
            isLetter($0)
        } rest: {
            isLetter($0) || isDigit($0)
        }
    }

    /// Whether `name` is the name of a method, a signal or a property.
    public static func isMember(_ name: String) -> Bool {
        elements(name, atLeast: 1, atMost: 1) {
            isLetter($0)
        } rest: {
            isLetter($0) || isDigit($0)
        }
    }

    /// Whether `name` is a unique (`:1.5`) or a well-known (`org.bluez`) bus name.
    public static func isBusName(_ name: String) -> Bool {
        if name.utf8.first == UInt8(ascii: ":") {
            let word: (UInt8) -> Bool = { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
            return name.utf8.count <= longestName
                && elements(String(decoding: name.utf8.dropFirst(), as: UTF8.self), atLeast: 2, first: word, rest: word)
        }
        return elements(name, atLeast: 2) {
            isLetter($0) || $0 == UInt8(ascii: "-")
        } rest: {
            isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-")
        }
    }

    /// Whether `path` is an object path: `/`, or slashes each followed by letters, digits and underscores.
    public static func isObjectPath(_ path: String) -> Bool {
        var previous = UInt8(ascii: "x")
        var isFirst = true
        for byte in path.utf8 {
            if isFirst, byte != UInt8(ascii: "/") { return false }
            if !isFirst || byte != UInt8(ascii: "/") {
                guard byte == UInt8(ascii: "/") || isLetter(byte) || isDigit(byte) else { return false }
                if byte == UInt8(ascii: "/"), previous == byte { return false }
            }
            previous = byte
            isFirst = false
        }
        return !isFirst && (path.utf8.count == 1 || previous != UInt8(ascii: "/"))
    }

    private static func elements(
        _ name: String, atLeast: Int, atMost: Int = .max, first: (UInt8) -> Bool, rest: (UInt8) -> Bool
    ) -> Bool {
        guard !name.isEmpty, name.utf8.count <= longestName else { return false }
        var count = 1
        var atStart = true
        for byte in name.utf8 {
            if byte == UInt8(ascii: ".") {
                guard !atStart else { return false }
                count += 1
                atStart = true
            } else {
                guard atStart ? first(byte) : rest(byte) else { return false }
                atStart = false
            }
        }
        return !atStart && count >= atLeast && count <= atMost
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z") || byte == UInt8(ascii: "_")
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
