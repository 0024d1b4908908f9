import FoundationEssentials
public import RxBluetoothMocks
import YAMLDocuments

/// Reads scenarios from YAML files. <doc:ScenarioFiles> describes the keys.
public enum ScenarioFile {
    /// The largest size of a file in bytes.
    private static let maximumSize = 16 << 20

    /// Reads a scenario from a file. Throws if the file cannot be read or is invalid.
    public static func load(_ path: String) throws(ScenarioFileError) -> Scenario {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let isDevice = attributes?[.type] as? FileAttributeType == .typeCharacterSpecial
        let isLarge = attributes.flatMap { $0[.size] as? Int }.map { $0 > maximumSize } == true
        if isDevice || isLarge {
            throw ScenarioFileError(
                file: path, line: nil, problem: isDevice ? "a device" : "more than \(maximumSize >> 20) MiB",
                expected: "a file of at most \(maximumSize >> 20) MiB in YAML")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            let isMissing = !FileManager.default.fileExists(atPath: path)
            throw ScenarioFileError(
                file: path, line: nil, problem: isMissing ? "no such file" : "the file cannot be read",
                expected: "a readable file in YAML")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw ScenarioFileError(
                file: path, line: nil, problem: "the file is not UTF-8", expected: "YAML in UTF-8")
        }
        return try read(text, file: path)
    }

    /// Reads a scenario from YAML text. Errors contain `file` as the name of the text.
    public static func read(_ text: String, file: String = "scenario") throws(ScenarioFileError) -> Scenario {
        let document: YAMLNode?
        do throws(YAMLError) {
            document = try YAMLParser.read(text)
        } catch {
            throw ScenarioFileError(file: file, line: error.line, problem: error.problem, expected: error.expected)
        }
        guard let document else {
            throw ScenarioFileError(file: file, line: nil, problem: "the file is empty", expected: "a scenario")
        }
        return try ScenarioNode(document, "the scenario", in: file).scenario()
    }
}

/// An error in a scenario file: the place, the problem, and what is expected instead.
public struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as given.
    public let file: String
    /// The line, from 1; nil if the error concerns the whole file.
    public let line: Int?
    /// The problem.
    public let problem: String
    /// What is expected instead.
    public let expected: String

    /// The error on one line.
    ///
    /// For example `hall.yaml:7: invalid value “-5 ms” of interval; expected: a time above 0, such as 250 ms`.
    public var description: String {
        let place = line.map { "\(file):\($0)" } ?? file
        return "\(place): \(problem); expected: \(expected)"
    }
}
