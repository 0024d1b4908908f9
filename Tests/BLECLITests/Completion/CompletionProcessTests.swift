import ArgumentParser
import Glibc
import Testing

@testable import ble_cli

/// The completion scripts, and the program as a completion script calls it.
@Suite(.timeLimit(.minutes(5)))
struct CompletionProcessTests {
    @Test func `The script for bash handles the colons of addresses`() async {
        let script = await CLIProcess("--generate-completion-script", "bash").end().output
        #expect(script.hasSuffix("complete -o filenames -F _ble-cli_whole_words ble-cli\n"))
        #expect(!script.contains("-F _ble-cli ble-cli"))
        #expect(!script.hasPrefix("#!"))
    }

    @Test(arguments: ["zsh", "fish"])
    func `The scripts of other shells are those of the parser`(shell: String) async {
        let script = await CLIProcess("--generate-completion-script", shell).end().output
        #expect(script == BLECLI.completionScript(for: .init(rawValue: shell)!) + "\n")
    }

    @Test func `The version is printed`() async {
        let end = await CLIProcess("--version").end()
        #expect(end.output == BLECLI.version + "\n")
        #expect(end.code == 0)
    }

    @Test func `A shell receives devices, adapters and assigned names`() async throws {
        let server = CLIProcess("simulate")
        let line = await server.firstLine()
        let bus = String(line.dropFirst("DBUS_SYSTEM_BUS_ADDRESS=".count).dropLast())
        _ = await CLIProcess.scan(bus: bus) { $0.lines.count == 5 }
        let devices = await complete("connect", "positional@0", "connect", bus: bus) { !$0.lines.isEmpty }
        #expect(devices.lines.contains("Heart rate strap"))
        #expect(devices.lines.contains("C0:FF:EE:00:00:01"))
        let adapters = await complete("scan", "--adapter", "scan", bus: bus) { !$0.lines.isEmpty }
        #expect(adapters.lines == ["hci0"])
        let values = await complete("read", "positional@1", "read", bus: bus)
        #expect(values.lines.contains("Heart Rate Measurement"))
        server.signal(SIGINT)
        _ = await server.end()
    }

    @Test(arguments: ["scan", "advertise"])
    func `A shell receives the names of services`(_ verb: String) async {
        let services = await complete(verb, "--service", verb, "--service", bus: "unix:path=/nowhere/bus")
        #expect(services.lines.contains("Heart Rate"))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `The scripts have the values of --sort, --color and power`(shell: String) {
        let script = BLECLI.completionScript(for: .init(rawValue: shell)!)
        for words in ["auto", "always", "never", "rssi", "seen", "on", "off"] {
            #expect(script.contains(words))
        }
    }

    @Test func `Without a bus, completion prints no word and no error`() async {
        for end in [
            await complete("connect", "positional@0", "connect", bus: "unix:path=/nowhere/bus"),
            await CLIProcess("---completion", "nonsense", "--", "positional@7").end(),
        ] {
            #expect(end.lines == [])
            #expect(end.errors == "")
        }
    }

    /// Runs the program as a completion script does when a word of a verb is completed.
    ///
    /// A query ends after 0.8 s without a word, which a busy machine can exceed. It is then repeated, up to 30 times.
    private func complete(
        _ verb: String, _ argument: String, _ words: String..., bus: String,
        until isEnough: (CLIProcess.End) -> Bool = { _ in true }
    ) async -> CLIProcess.End {
        let line = ["ble-cli"] + words + [""]
        var attempts = 1
        while true {
            let end = await CLIProcess(
                list: ["---completion", verb, "--", argument, "\(line.count - 1)", "0"] + line, bus: bus
            ).end()
            if isEnough(end) || attempts == 30 { return end }
            attempts += 1
        }
    }
}
