/// The interfaces and members of an object in the output of `busctl introspect`.
package struct BusctlDescription {
    /// A method, signal or property with its types, such as `ReadValue(a{sv}) -> ay` or `Alias: s writable`.
    package struct Member: Hashable, CustomStringConvertible {
        package let description: String

        /// Parses a line of busctl: name, kind, signature, result or value, and flags.
        init?(busctl line: Substring) {
            let words = line.split(separator: " ")
            guard words.count >= 5, words[0].first == "." else { return nil }
            let name = words[0].dropFirst()
            switch words[1] {
            case "method":
                description = "\(name)(\(Self.types(words[2])))" + (words[3] == "-" ? "" : " -> \(words[3])")
            case "signal": description = "signal \(name)(\(Self.types(words[2])))"
            default: description = "\(name): \(words[2])" + (words.last == "writable" ? " writable" : "")
            }
        }

        init(_ description: String) { self.description = description }

        private static func types(_ word: Substring) -> Substring { word == "-" ? "" : word }
    }

    /// The members of each interface, by the name of the interface.
    package private(set) var interfaces: [String: Set<Member>] = [:]

    /// Parses the output of `busctl introspect`.
    package init(busctl text: String) {
        var interface = ""
        for line in text.split(separator: "\n").dropFirst() {
            if let member = Member(busctl: line) {
                interfaces[interface, default: []].insert(member)
            } else {
                interface = String(line.prefix { $0 != " " })
                interfaces[interface] = []
            }
        }
    }
}
