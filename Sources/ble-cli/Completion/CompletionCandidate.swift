import ArgumentParser

/// A word that completes a command line, in the form that a shell expects.
struct CompletionCandidate: Equatable, Sendable {
    /// The word as the command receives it.
    let word: String
    /// A description that zsh and fish show next to the word; empty for none.
    var note = ""

    /// Returns the line that the completion function of a shell reads.
    ///
    /// A device chooses its name, so the line must be a literal for the shell: bash expands the words of
    /// `compgen -W`, zsh ends a word at a colon, and fish ends it at a tab.
    func line(for shell: CompletionShell?) -> String {
        switch shell {
        case .some(.bash): "'" + word.replacing("'", with: #"'\''"#) + "'"
        case .some(.zsh):
            word.replacing("\\", with: "\\\\").replacing(":", with: "\\:") + (note.isEmpty ? "" : ":" + note)
        case .some(.fish): note.isEmpty ? word : word + "\t" + note
        default: word
        }
    }
}

/// The words of a command line that is completed, as the user typed them.
struct CompletionWords: Sendable {
    /// The words before the word that is completed.
    let before: [String]

    init(_ words: [String], upTo index: Int) {
        before = words.prefix(max(0, index)).map(Self.unquoted)
    }

    /// Returns the value of an option, from `--name value` or `--name=value`; nil if the option is missing.
    func value(of option: String) -> String? {
        for (index, word) in before.enumerated().reversed() {
            if word == option { return index + 1 < before.count ? before[index + 1] : nil }
            if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
        }
        return nil
    }

    /// Whether a flag is present.
    func contains(_ flag: String) -> Bool { before.contains(flag) }

    /// Returns a word without the quotes and backslashes of a shell.
    private static func unquoted(_ word: String) -> String {
        var text = ""
        var quote: Character?
        var isEscaped = false
        for character in word {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
            } else {
                text.append(character)
            }
        }
        return text
    }
}
