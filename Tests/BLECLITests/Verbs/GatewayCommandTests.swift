import ArgumentParser
import Testing

@testable import ble_cli
@testable import ble_gateway

@Suite struct GatewayCommandTests {
    @Test func `ble-cli declares the arguments of ble-gateway`() {
        let verb = ble_cli.GatewayCommand.helpMessage(columns: 100)
        let program = ble_gateway.GatewayCommand.helpMessage(columns: 100)
        #expect(arguments(verb) == arguments(program))
        #expect(arguments(verb).contains { $0.contains("--dry-run") })
    }

    @Test func `ble-cli and ble-gateway have the same version`() {
        #expect(BLECLI.version == ble_gateway.GatewayCommand.configuration.version)
    }

    @Test func `The program is searched beside ble-cli, in libexec, and on PATH`() {
        let program = OtherProgram(name: "x", hint: "")
        #expect(
            program.candidates(beside: "/opt/bin", path: "/a::relative:/b")
                == ["/opt/bin/x", "/opt/bin/../libexec/x", "/a/x", "/b/x"])
        #expect(program.candidates(beside: nil, path: "") == [])
    }

    @Test func `A missing program is reported with what to install`() {
        let program = OtherProgram(name: "there-is-no-such-program", hint: "Install it.")
        #expect(throws: CLIError(.usage, "The program there-is-no-such-program is not installed. Install it.")) {
            try program.replaceProcess(arguments: [])
        }
    }

    @Test func `The verb runs the program with its arguments and exit code`() async {
        let version = await CLIProcess("gateway", "--example").end()
        #expect(version.code == 0)
        #expect(version.output.contains("broker:"))
        let end = await CLIProcess("gateway", "--check", "/nonexistent.yaml").end()
        #expect(end.code == 64)
        #expect(end.errorLines.count == 1)
        #expect(end.errors.contains("/nonexistent.yaml"))
    }

    /// Returns the lines of a help text about arguments, without the version, which only the program has.
    private func arguments(_ help: String) -> [String] {
        let lines = help.split(separator: "\n").map(String.init)
        return Array(lines.drop { $0 != "ARGUMENTS:" }).filter { !$0.contains("--version") }
    }
}
