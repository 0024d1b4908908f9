import Glibc
import Testing

/// Exit codes, signals and pipes of the built program, with a simulation on the real clock.
///
/// Each test waits for the output or the end of the program.
@Suite(.timeLimit(.minutes(5)))
struct CommandProcessTests {
    @Test func `A scan prints JSON and ends at its time limit`() async throws {
        let addresses = { (end: CLIProcess.End) in end.lines.map { ParsedJSON($0)?["address"]?.string } }
        let end = await CLIProcess.scan("--simulate", "--json") { Set(addresses($0)).count == 5 }
        #expect(end.code == 0)
        #expect(end.errors.isEmpty)
        #expect(Set(addresses(end)).count == 5)
        #expect(!addresses(end).contains(nil))
    }

    @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func `A signal ends a scan with its own exit code and no message`(signal: Int32, code: Int32) async {
        let program = CLIProcess("scan", "--simulate")
        #expect(await program.firstLine().contains("C0:FF:EE"))
        program.signal(signal)
        let end = await program.end()
        #expect(end.code == code)
        #expect(end.errors.isEmpty)
    }

    @Test func `A closed output ends the program without an error, even if it is idle`() async {
        let program = CLIProcess("scan", "--simulate")
        _ = await program.firstLine()
        program.closeOutput()
        let end = await program.end(readingOutput: false)
        #expect(end.code == 0)
        #expect(end.errors.isEmpty)
    }

    @Test(arguments: [["decode", "2A19", "55"], ["scan", "--help"]])
    func `A closed output ends a program that only prints a text without an error`(arguments: [String]) async {
        let program = CLIProcess(list: arguments)
        program.closeOutput()
        let end = await program.end(readingOutput: false)
        #expect(end.code == 0)
        #expect(end.errors.isEmpty, "\(end.errors)")
    }

    @Test func `Connect prints the tree`() async {
        let end = await CLIProcess("connect", "C0:FF:EE:00:00:05", "--simulate").end()
        #expect(end.code == 0)
        #expect(end.output.contains("= 0b  11\n"))
        #expect(end.output.contains("= 16  22\n"))
    }

    private static let mistakes: [(arguments: [String], part: String)] = [
        (["read", "C0:FF:EE:00:00:ZZ", "2A37"], "is not an address"),
        (["read", "", "2A37"], "target is empty"),
        (["read", "x", "2A3"], "is not a characteristic"),
        (["write", "x", "2A39", "0g"], "is not a value"),
        (["write", "x", "2A39", String(repeating: "00", count: 513)], "513 bytes"),
        (["write", "x", "2A39"], "give the bytes or --value"),
        (["write", "x", "2A39", "01", "--value", "reset"], "either the bytes or --value"),
        (["write", "x", "2A39", "--value", "256"], "is out of range"),
        (["notify", "x", "2A37", "--count", "0"], "is not a number of values"),
        (["decode", "2A37"], "Give a characteristic and its bytes"),
        (["decode", "2A37", "01"], "Heart Rate Measurement"),
        (["decode", "2A37", "0g"], "is not a value"),
        (["decode", "FFD1", "01"], "does not know how FFD1 stores its values"),
        (["decode", "--manufacturer", "No Such", "05"], "is not a company"),
        (["help", "nothing"], "There is no command “nothing”."),
        (["help", "reed"], "There is no command “reed”. Did you mean “read”?"),
        (["reed", "x"], "There is no command “reed”. Did you mean “read”?"),
        (["scan", "--keys", "/nofile"], "The key file /nofile cannot be read: No such file or directory."),
        (["read", "x", "2A19", "--count", "3"], "Give --every, too."),
        (["decode", "--manufacturer", "0499", "05"], "Decoding ruuvi failed"),
        (["decode", "--manufacturer", "0059", "05"], "none of the known formats"),
        (
            ["decode", "--service-data", "FCD2", "41A47266C95F730011223378237214"],
            "give --address, and --key or --keys"
        ),
        (["decode", "--service-data", "FCD2", "--manufacturer", "0499", "05"], "Give either"),
        (["scan", "--key", "C0:FF:EE:00:00:01"], "is not ADDRESS=HEX"),
        (["scan", "--keys", "/nonexistent/keys"], "cannot be read"),
        (["pair", "x", "--passkey", "1234567"], "is not a passkey"),
        (["pair", "x", "--passkey", "12a"], "is not a passkey"),
        (["scan", "--timeout", "-1"], "--timeout"),
        (["scan", "--timeout"], "Missing value"),
        (["scan", "--service", "12"], "is not a service"),
        (["scan", "--adapter", ""], "adapter is empty"),
        (["read", "x"], "Missing expected argument"),
        (["dance\u{1B}[2J\n"], "There is no command “dance"),
        (["dance"], "The commands are diagnose, adapters, power, scan,"),
        (["write", "x", "2A39", "-5", "--format", "int16"], "Give a negative number as --value -5."),
        (["advertise", "--name", ""], "name of --name is empty"),
        (["advertise", "--name", "x", "--for", "5s", "--timeout", "5"], "Give one of them"),
        (["connect", "x", "--for", "5s"], "Unknown option '--for'. Give the time as --timeout. See ble-cli connect"),
        (["read", "x", "2A19", "--for=5s"], "Give the time as --timeout."),
    ]

    @Test(arguments: mistakes)
    func `A wrong command line is reported in one line with exit code 64`(arguments: [String], part: String) async {
        let end = await CLIProcess(list: arguments).end()
        #expect(end.code == 64)
        #expect(end.output.isEmpty)
        #expect(end.errorLines.count == 1)
        #expect(end.errors.hasPrefix("ble-cli: "))
        #expect(end.errors.contains(part))
        #expect(!end.errors.contains("\u{1B}"))
    }

    @Test func `A missing device or adapter is reported in one line with exit code 2`() async {
        for arguments in [["connect", "absent", "--timeout", "0.2"], ["scan", "--adapter", "hci9"]] {
            let end = await CLIProcess(list: arguments + ["--simulate"]).end()
            #expect(end.code == 2)
            #expect(end.output.isEmpty)
            #expect(end.errorLines.count == 1)
        }
    }

    @Test func `A missing bus is reported in one line with advice and exit code 3`() async {
        let end = await CLIProcess("scan", bus: "unix:path=/nonexistent").end()
        #expect(end.code == 3)
        #expect(end.errorLines.count == 1)
        #expect(end.errors.contains("systemctl"))
        #expect(end.errors.contains("apt install dbus"))
    }

    @Test func `Diagnose reports a missing bus in its first line with exit code 3`() async {
        let end = await CLIProcess("diagnose", bus: "unix:path=/nowhere").end()
        #expect(end.code == 3)
        #expect(end.lines.first?.hasPrefix("The system bus is unavailable. ") == true)
        #expect(end.errorLines == ["ble-cli: Bluetooth cannot be used (bus-unavailable)."])
    }

    @Test func `Help is printed on standard output`() async {
        for arguments in [[], ["--help"], ["help", "scan"], ["notify", "--help"]] {
            let end = await CLIProcess(list: arguments).end()
            #expect(end.code == 0)
            #expect(end.errors.isEmpty)
            #expect(end.output.contains("USAGE: ble-cli"))
        }
    }

    @Test(
        arguments: [
            (["scan", "--json", "--nonsense"], 64, "usage"), (["read", "x", "2A3", "--json"], 64, "usage"),
            (["write", "x", "2A39", "0g", "--json"], 64, "usage"),
            (["connect", "absent", "--json", "--simulate", "--timeout", "0.2"], 2, "not-found"),
        ] as [([String], Int32, String)])
    func `With --json, an error is one object on standard error`(arguments: [String], code: Int32, word: String)
        async throws
    {
        let end = await CLIProcess(list: arguments).end()
        #expect(end.code == code)
        #expect(end.output.isEmpty)
        #expect(end.errorLines.count == 1)
        #expect(try JSONSchema().violations(of: end.errorLines.first ?? "", as: "error") == [])
        #expect(ParsedJSON(end.errorLines.first ?? "")?["error"]?["code"]?.string == word)
    }

    @Test func `With --verbose, logs the chosen adapter as text or as JSON objects`() async throws {
        let text = await CLIProcess("adapters", "--simulate", "--verbose").end()
        #expect(text.errorLines.first?.hasSuffix(" info An adapter was chosen. adapter=hci0") == true)
        let json = await CLIProcess("read", "C0:FF:EE:00:00:01", "2A19", "--simulate", "--verbose", "--json").end()
        #expect(json.errorLines.count > 3)
        for line in json.errorLines { #expect(try JSONSchema().violations(of: line, as: "log") == []) }
    }

    @Test func `Write accepts only one of its two types`() async {
        let end = await CLIProcess("write", "x", "2A39", "00", "--response", "--no-response").end()
        #expect(end.code == 64)
        #expect(end.errorLines.count == 1)
    }
}
