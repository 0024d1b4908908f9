/// A mistake in a YAML document.
package struct YAMLMistake: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; nil if the mistake concerns the whole document.
    package var line: Int?
    /// The problem.
    package var problem: String
    /// What to do.
    package var advice: String

    /// Makes a mistake.
    package init(line: Int?, _ problem: String, _ advice: String) {
        self.line = line
        self.problem = problem
        self.advice = advice
    }

    /// The mistake on one line, for example `line 7: unknown key “prot” in broker; did you mean “port”?`
    package var description: String {
        (line.map { "line \($0): " } ?? "") + problem + "; " + advice
    }
}

/// Collects all mistakes of a document, so that a user can correct them in one pass.
package final class YAMLMistakes {
    private var found: [YAMLMistake] = []

    /// The number of mistakes up to which a reader searches for what was meant. Searching takes time.
    private static let mostGuesses = 100

    /// Creates an empty collection.
    package init() {}

    /// The mistakes by line, without repetitions.
    package var all: [YAMLMistake] {
        var seen: Set<YAMLMistake> = []
        return found.filter { seen.insert($0).inserted }.enumerated()
            .sorted { ($0.element.line ?? 0, $0.offset) < ($1.element.line ?? 0, $1.offset) }.map(\.element)
    }

    /// Returns the known word that a user probably meant; nil if there is none, or after many mistakes.
    package func guess(for text: String, in words: [String]) -> String? {
        found.count < Self.mostGuesses ? Spelling.closest(to: text, in: words) : nil
    }

    /// Adds a mistake.
    package func add(line: Int?, _ problem: String, _ advice: String) {
        found.append(YAMLMistake(line: line, problem, advice))
    }
}
