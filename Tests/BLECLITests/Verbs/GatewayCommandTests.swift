import ArgumentParser
import Foundation
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

    @Test(arguments: [("mqtt.example.org", true), ("localhost", false)])
    func `A check warns of a password that would be sent to another host without TLS`(
        host: String, warns: Bool
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.path + "/gateway-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (file, password) = (folder + "/gateway.yaml", folder + "/password.txt")
        let text = "broker:\n  host: \(host)\n  user: me\n  password-file: password.txt\n"
        for (path, text) in [(file, text), (password, "unsafe-word\n")] {
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600]))
        }
        let end = await CLIProcess("gateway", "--check", file).end()
        #expect(end.code == 0)
        #expect(end.output == "\(file) has no mistakes.\n")
        let warning =
            "ble-gateway: \(file): the password of the broker would be sent to \(host) without encryption; write tls: "
            + "true in broker"
        #expect(end.errorLines == (warns ? [warning] : []))
        #expect(!end.errors.contains("unsafe-word"))
    }

    /// Returns the lines of a help text about arguments, without the version, which only the program has.
    private func arguments(_ help: String) -> [String] {
        let lines = help.split(separator: "\n").map(String.init)
        return Array(lines.drop { $0 != "ARGUMENTS:" }).filter { !$0.contains("--version") }
    }
}
