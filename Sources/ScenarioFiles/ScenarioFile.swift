import FoundationEssentials
public import RxBluetoothMocks
import Yams

/// Scenarios as files in YAML, with the same parts as ``Scenario`` has in Swift. <doc:ScenarioFiles> describes the keys.
public enum ScenarioFile {
    /// The scenario in a file. Throws where the file cannot be read, or something in it is wrong.
    public static func load(_ path: String) throws(ScenarioFileError) -> Scenario {
        guard let data = FileManager.default.contents(atPath: path) else {
            let isMissing = !FileManager.default.fileExists(atPath: path)
            throw ScenarioFileError(
                file: path, line: nil, problem: isMissing ? "there is no such file" : "the file cannot be read",
                expected: "a readable file in YAML")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ScenarioFileError(
                file: path, line: nil, problem: "the file is not UTF-8", expected: "a file in YAML and UTF-8")
        }
        return try read(text, file: path)
    }

    /// The scenario in a text; `file` is how errors name it.
    public static func read(_ text: String, file: String = "scenario") throws(ScenarioFileError) -> Scenario {
        guard let root = try node(text, file) else {
            throw ScenarioFileError(file: file, line: nil, problem: "the file is empty", expected: "a scenario")
        }
        return try ScenarioNode(root, "the scenario", in: file).scenario()
    }

    private static func node(_ text: String, _ file: String) throws(ScenarioFileError) -> Node? {
        func invalid(_ line: Int?, _ problem: String) -> ScenarioFileError {
            ScenarioFileError(file: file, line: line, problem: problem, expected: "valid YAML")
        }
        do {
            return try compose(yaml: text)
        } catch let failure as YamlError {
            switch failure {
            case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
                .composer(_, let problem, let mark, _):
                throw invalid(mark.line, problem)
            case .duplicatedKeysInMapping(let names, let context):
                throw ScenarioFileError(
                    file: file, line: context.mark.line,
                    problem: "a key stands twice: \(names.sorted().joined(separator: ", "))", expected: "each key once")
            default: throw invalid(nil, "\(failure)")
            }
        } catch { throw invalid(nil, "\(error)") }
    }
}

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
