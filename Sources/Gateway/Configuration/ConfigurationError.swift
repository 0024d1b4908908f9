import YAMLDocuments

/// All mistakes of a configuration file, which a user can correct in one pass. It contains no passwords and no keys.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A mistake of a configuration file.
    public struct Mistake: Hashable, Sendable, CustomStringConvertible {
        /// The line, from 1; nil if the mistake concerns the whole file.
        public let line: Int?
        /// The problem.
        public let problem: String
        /// What to do.
        public let advice: String

        /// The mistake on one line, for example `line 7: unknown key “prot” in broker; did you mean “port”? …`.
        public var description: String { (line.map { "line \($0): " } ?? "") + problem + "; " + advice }
    }

    /// The name of the file, as given.
    public let file: String
    /// The mistakes by line; at least one.
    public let mistakes: [Mistake]

    /// One line for each mistake, without the name of the file.
    public var description: String { mistakes.map(\.description).joined(separator: "\n") }
}

extension ConfigurationError {
    init(file: String, _ mistakes: [YAMLMistake]) {
        self.file = file
        self.mistakes = mistakes.map { Mistake(line: $0.line, problem: $0.problem, advice: $0.advice) }
    }

    init(file: String, line: Int? = nil, _ problem: String, _ advice: String) {
        self.init(file: file, [YAMLMistake(line: line, problem, advice)])
    }
}
