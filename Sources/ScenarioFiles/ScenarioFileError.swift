/// What is wrong with a scenario file, where, and what would be right.
public struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    public let file: String
    /// The line, from 1; nil where the whole file is concerned.
    public let line: Int?
    /// What is wrong.
    public let problem: String
    /// What is expected there.
    public let expected: String

    /// On one line, for example `hall.yaml:7: “-5 ms” is no interval; expected: a time above 0, such as 250 ms or 1.5 s`.
    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return "\(place): \(problem); expected: \(expected)"
    }
}
