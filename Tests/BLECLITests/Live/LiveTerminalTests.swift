import Glibc
import Testing

@testable import ble_cli

/// The live views of the built program on a pseudo-terminal.
@Suite(.timeLimit(.minutes(5)))
struct LiveTerminalTests {
    @Test(arguments: ["top", "scan"])
    func `Keys reach the program, and q restores the terminal`(verb: String) async {
        let process = PseudoTerminal(verb, "--simulate")
        let list = await process.output(until: "Loose plug")
        #expect(list.contains("ADV/S"))
        process.type("/door\r")
        _ = await process.output(until: "filter “door”")
        process.type("?")
        _ = await process.output(until: "hide this")
        process.type("q")
        let end = await process.end()
        #expect(end.code == 0)
        #expect(end.isRestored)
        #expect(end.output.hasSuffix(verb == "top" ? "\u{1B}[?1049l\u{1B}[?25h" : "\u{1B}[?25h"))
    }

    @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130)] as [(Int32, Int32)])
    func `A signal restores the terminal`(signal: Int32, code: Int32) async {
        let process = PseudoTerminal("top", "--simulate")
        _ = await process.output(until: "Loose plug")
        process.signal(signal)
        let end = await process.end()
        #expect(end.code == code)
        #expect(end.isRestored)
        #expect(end.output.hasSuffix("\u{1B}[?1049l\u{1B}[?25h"))
    }

    @Test func `A resized terminal is drawn in its new size`() async {
        let process = PseudoTerminal("top", "--simulate")
        _ = await process.output(until: "Loose plug")
        process.resize(TerminalSize(columns: 15, rows: 4))
        _ = await process.output(until: "Enlarge the t")
        process.resize(TerminalSize(columns: 120, rows: 40))
        // The last line of the larger terminal.
        let large = await process.output(until: "\u{1B}[40;1H")
        #expect(large.contains("ADVERTISES"))
        process.type("q")
        #expect(await process.end().code == 0)
    }

    @Test func `A closed terminal ends the program`() async {
        let process = PseudoTerminal("top", "--simulate")
        _ = await process.output(until: "Loose plug")
        #expect(await process.closeTerminal() != 0)
    }
}
