import ArgumentParser
import ProgramSupport
import YAMLDocuments

/// The error for a word that is not a command, with the command that was probably meant.
enum UnknownCommand {
    /// The error for the arguments of the process; nil if they begin with a command or an option.
    static var inArguments: CLIError? { error(in: CommandLineArguments.all) }

    /// Returns the error for arguments; nil if they begin with a command or an option. `help` precedes a command.
    static func error(in arguments: [String]) -> CLIError? {
        let names = BLECLI.configuration.subcommands.compactMap { $0.configuration.commandName }
        let words = arguments.first == "help" ? arguments.dropFirst() : arguments[...]
        guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return nil }
        return CLIError(
            .usage,
            "There is no command “\(word)”.\(suggestion(for: word, in: names)) The commands are "
                + "\(names.joined(separator: ", ")). See ble-cli --help.")
    }

    /// Returns a question for the word that was probably meant, with a space in front; nothing if none is similar.
    static func suggestion(for word: String, in names: [String]) -> String {
        Spelling.closest(to: word, in: names).map { " Did you mean “\($0)”?" } ?? ""
    }
}
