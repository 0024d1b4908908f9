/// Splits a line of a script or a shell into words.
///
/// Spaces separate words. Quotes, single or double, keep spaces within a word; within double quotes and outside of
/// quotes, a backslash keeps the next character. A word that begins with `#` starts a comment.
enum StepLine {
    /// A word, and where it begins in the line.
    struct Word: Equatable, Sendable {
        var text: String
        let start: String.Index
    }

    /// Returns the words of a line. Throws if a quote is not closed.
    static func words(_ line: String) throws(CLIError) -> [String] {
        let (words, quote) = split(line)
        if let quote { throw CLIError(.usage, "A quote is not closed: \(quote)") }
        return words.map(\.text)
    }

    /// Returns the words of a line that may be incomplete, and the quote that is still open.
    static func split(_ line: String) -> (words: [Word], quote: Character?) {
        var words: [Word] = []
        var word: Word?
        var quote: Character?
        var index = line.startIndex
        while index < line.endIndex {
            let character = line[index]
            if let open = quote, character == open {
                quote = nil
            } else if character == "\\", quote != "'", line.index(after: index) < line.endIndex {
                index = line.index(after: index)
                word = word ?? Word(text: "", start: index)
                word?.text.append(line[index])
            } else if quote != nil {
                word?.text.append(character)
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? Word(text: "", start: index)
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else if character == "#", word == nil {
                break
            } else {
                word = word ?? Word(text: "", start: index)
                word?.text.append(character)
            }
            index = line.index(after: index)
        }
        if let word { words.append(word) }
        return (words, quote)
    }

    /// Returns a word as a line contains it: in quotes if it would be split otherwise.
    static func quoted(_ word: String) -> String {
        let isPlain = !word.isEmpty && !word.contains { $0.isWhitespace || "\"'\\#".contains($0) }
        guard !isPlain else { return word }
        return "\"" + word.reduce(into: "") { $0 += ("\"\\".contains($1) ? "\\" : "") + String($1) } + "\""
    }
}
