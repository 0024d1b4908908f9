import Testing

@testable import ble_cli

/// Ctrl-Z and fg in bash on a pseudo-terminal. Each step waits for output.
@Suite(.timeLimit(.minutes(5)))
struct JobControlTests {
    private static let environment = ["PS1": "bash$ ", "B": CLIProcess.path]
    private static let options = ["--norc", "--noprofile", "-i"]

    @Test(arguments: ["scan --simulate", "top --simulate", "simulate everyday -- $B scan"])
    func `After Ctrl-Z and fg, a live view reads single keys again`(command: String) async {
        let bash = PseudoTerminal(
            list: Self.options, program: "/bin/bash", environment: Self.environment,
            size: TerminalSize(columns: 80, rows: 24))
        _ = await bash.output(until: "bash$ ")
        bash.type("$B \(command)\r")
        _ = await bash.output(until: "q quit")
        for _ in 0..<3 {
            bash.type("\u{1A}")
            #expect(await bash.output(until: "bash$ ").contains("Stopped"))
            bash.type("fg\r")
            _ = await bash.output(until: "q quit")
            // Without an Enter key, only a program that reads single keys receives these.
            bash.type("?")
            #expect(await bash.output(until: "hide this").contains("hide this"))
            bash.type("?")
            #expect(await bash.output(until: "? keys").contains("? keys"))
        }
        bash.type("q")
        _ = await bash.output(until: "bash$ ")
        bash.type("exit\r")
        let end = await bash.end()
        #expect(end.code == 0 && end.isRestored)
    }

    @Test func `Ctrl-Z at the prompt of the shell stops it, and fg shows the line again`() async {
        let bash = TerminalProcess(
            "--norc", "--noprofile", "-i", program: "/bin/bash", environment: Self.environment)
        await bash.waitForLine("bash$ |")
        bash.type("$B shell --simulate\r")
        await bash.waitForLine("ble-cli> |")
        bash.type("pau")
        await bash.waitForLine("ble-cli> pau|")
        bash.type("\u{1A}")
        await bash.waitForLine("bash$ |")
        bash.type("fg\r")
        await bash.waitForLine("ble-cli> pau|")
        bash.type("se 1ms\r")
        await bash.waitForLine("ble-cli> |")
        bash.type("quit\r")
        await bash.waitForLine("bash$ |")
        bash.type("exit\r")
        #expect(await bash.end() == 0)
    }
}
