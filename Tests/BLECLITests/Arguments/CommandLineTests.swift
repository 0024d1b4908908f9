import ArgumentParser
import Testing

@testable import ble_cli

/// Tests of the two ways to parse a command line.
struct CommandLineTests {
    @Test(arguments: [
        ["scan"], ["scan", "--json", "--service", "180D", "--service", "180F", "--timeout", "1"], ["adapters", "-v"],
        ["read", "x", "2A37", "--scenario", "crowd"], ["write", "x", "2A39", "00", "--response"], ["simulate"],
        ["decode", "2A37", "0060"], ["decode", "--manufacturer", "0499", "05"],
        ["scan", "--key", "a=b", "--keys", "x"],
        ["write", "x", "2A39", "--value", "reset"], ["info", "x"], ["disconnect", "x", "--json"], ["power", "on"],
        ["trust", "x", "--off"], ["advertise", "--name", "x", "--service", "180F"], ["adapters", "--watch"],
        ["read", "x", "2A19", "--keep"], ["power"], ["trust", "x", "--on"],
        ["simulate", "crowd", "--bus", "unix:path=/x"], ["connect", "--", "--x"], ["diagnose", "--adapter", "-1"],
        ["scan", "--help"], ["scan", "-h"], ["help", "scan"], ["help"], ["--help"], [], ["help", "dance"],
        ["scan", "--bluez", "5.66"], ["simulate", "--bluez", "5.82"],
        ["scan", "help"],
        ["scan", "--timeout"], ["scan", "--nonsense"], ["read", "x"], ["scan", "extra"], ["dance"], ["--json", "scan"],
        ["write", "x", "2A39", "00", "--response", "--no-response"], ["scan", "--version"], ["-scan"], ["Scan"],
        ["scan", "--generate-completion-script", "bash"], ["scan", "--experimental-dump-help"],
    ])
    func `Parsing only the verb has the same result as parsing the root command`(_ arguments: [String]) {
        #expect(result { try BLECLI.parseVerb(arguments) } == result { try BLECLI.parseAsRoot(arguments) })
    }

    @Test func `A valid command line is parsed by its verb alone`() throws {
        #expect(try BLECLI.parseVerb(["scan", "--all"]) is ScanCommand)
        #expect(try BLECLI.parseVerb(["simulate"]) is SimulateCommand)
    }

    /// Returns the command, or the text of the error.
    private func result(_ parse: () throws -> any ParsableCommand) -> String {
        do { return "\(try parse())" } catch { return BLECLI.fullMessage(for: error) }
    }
}
