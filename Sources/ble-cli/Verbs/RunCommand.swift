import ArgumentParser

/// The command `ble-cli run`.
struct RunCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the steps of a file over one connection.",
        discussion: """
            Each line of FILE is a step; - reads the steps from standard input. All lines are checked before the \
            first step runs. The first step that fails ends the run: the error names its line, and its exit code is \
            that of the run. With --json, an object about each step follows its results. --timeout limits the time \
            for finding and connecting in each connect step.

            STEPS:
              connect TARGET
              read CHARACTERISTIC... [--format FORMAT]
              write CHARACTERISTIC BYTES [--format FORMAT] [--value VALUE] [--no-response]
              subscribe CHARACTERISTIC...
              wait CHARACTERISTIC TIME [BYTES] [--format FORMAT]
              notify CHARACTERISTIC... [--count NUMBER] [--for TIME] [--format FORMAT]
              services
              scan [--for TIME]
              pause TIME
              info [TARGET]
              disconnect [TARGET]
              pair [TARGET] [--passkey DIGITS]
              trust [TARGET] [--off]
              forget TARGET
              power on|off
              decode CHARACTERISTIC BYTES

            A word with spaces is in quotes, and # begins a comment. Notifications between two steps are stored only \
            after subscribe. The link is closed at the end.

            EXAMPLES:
              ble-cli run check.steps
              printf 'connect Strap\\nread 2A19\\nwait 2A37 5s\\n' | ble-cli run - --json
            """)

    @OptionGroup var common: CommonOptions
    @Argument(help: "The file with the steps; - for standard input.", completion: .file()) var file: String

    func verb() throws(CLIError) -> any Verb {
        let content = try InputFile.read(file == "-" ? nil : file)
        let name = file == "-" ? "standard input" : file
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CLIError(.usage, "\(name) is not text in UTF-8. Give a file with one step a line.")
        }
        return RunVerb(script: try StepScript(text, name: name))
    }
}
