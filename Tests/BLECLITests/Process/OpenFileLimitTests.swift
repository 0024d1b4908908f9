import Testing

@testable import ble_cli

/// Limits of open files with which libdispatch would end the programs with a signal, or wait for ever.
@Suite(.timeLimit(.minutes(5)))
struct OpenFileLimitTests {
    @Test(arguments: 6...11, [["ble-cli", "scan", "--simulate"], ["ble-gateway", "--simulate"]])
    func `Too few open files are one line and the exit code 5`(limit: Int, command: [String]) async {
        let end = await CLIProcess(command, openFiles: limit).end()
        #expect(end.code == 5, "\(end)")
        #expect(end.output.isEmpty && end.errorLines.count == 1, "\(end)")
        let needed = command[0] == "ble-cli" ? 32 : 64
        let text = "At most \(limit) files may be open, and \(needed) are needed. Raise the limit with ulimit -n."
        #expect(end.errorLines.first?.hasSuffix(text) == true, "\(end)")
    }
}
