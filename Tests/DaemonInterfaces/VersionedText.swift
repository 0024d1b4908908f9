/// Lines that differ between the versions of BlueZ that the project is tested with.
///
/// A line that not all versions have begins with its versions: `@5.66 `, `@5.82+ ` (and later) or `@5.66,5.87 `.
package struct VersionedText: Sendable, ExpressibleByStringLiteral {
    /// The versions, oldest first.
    package static let versions = ["5.66", "5.82", "5.87"]

    private let content: [(line: String, versions: Set<String>)]

    package init(_ text: String) { content = text.split(separator: "\n").map(Self.parse) }

    package init(stringLiteral text: String) { self.init(text) }

    /// Returns the lines of a version, without the names of versions.
    package func lines(in version: String) -> [String] {
        content.filter { $0.versions.contains(version) }.map(\.line)
    }

    private static func parse(_ line: Substring) -> (line: String, versions: Set<String>) {
        guard line.hasPrefix("@"), let space = line.firstIndex(of: " ") else { return (String(line), Set(versions)) }
        let named = line[..<space].dropFirst().split(separator: ",").flatMap { word in
            let name = word.hasSuffix("+") ? word.dropLast() : word
            guard let place = versions.firstIndex(where: { $0 == name }) else {
                preconditionFailure("This line names an unknown version: \(line)")
            }
            return word.hasSuffix("+") ? versions[place...] : versions[place...place]
        }
        return (String(line[space...].dropFirst()), Set(named))
    }
}
