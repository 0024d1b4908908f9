import Foundation
import Testing

@testable import ble_cli

/// The shell on a pseudo-terminal. Each step waits for output.
@Suite(.timeLimit(.minutes(5)))
struct ShellTerminalTests {
    private static let (left, right, up, down) = ("\u{1B}[D", "\u{1B}[C", "\u{1B}[A", "\u{1B}[B")

    /// Runs work with a shell, and ends the shell with Ctrl-D on an empty line.
    private func withShell(
        _ shell: TerminalProcess, at prompt: String = "ble-cli> ", _ work: (TerminalProcess) async -> Void
    ) async {
        await shell.waitForLine(prompt + "|")
        await work(shell)
        shell.type("\u{04}")
        #expect(await shell.end() == 0)
    }

    @Test func `Keys edit the line`() async {
        await withShell(TerminalProcess("shell", "--simulate")) { shell in
            shell.type("red 2A19")
            await shell.waitForLine("ble-cli> red 2A19|")
            shell.type("\u{1B}[H" + Self.right + Self.right + "a")
            await shell.waitForLine("ble-cli> rea|d 2A19")
            shell.type("\u{05}ä" + Self.left)
            await shell.waitForLine("ble-cli> read 2A19|ä")
            shell.type("\u{1B}[3~\u{17}")
            await shell.waitForLine("ble-cli> read |")
            shell.type("\u{7F}\u{7F}")
            await shell.waitForLine("ble-cli> rea|")
            // A pasted control character is dropped.
            shell.type("\u{15}a\u{200B}b")
            await shell.waitForLine("ble-cli> ab|")
            shell.type("\u{03}")
            await shell.wait(for: "ble-cli> ab^C")
            await shell.waitForLine("ble-cli> |")
        }
    }

    @Test func `The arrow keys show earlier lines and the new line`() async {
        await withShell(TerminalProcess("shell", "--simulate")) { shell in
            for line in ["pause 1ms", "pause 2ms"] {
                shell.type(line + "\r")
                await shell.wait(for: "ble-cli> " + line)
                await shell.waitForLine("ble-cli> |")
            }
            shell.type("sc" + Self.up)
            await shell.waitForLine("ble-cli> pause 2ms|")
            shell.type(Self.up)
            await shell.waitForLine("ble-cli> pause 1ms|")
            shell.type(Self.down + Self.down)
            await shell.waitForLine("ble-cli> sc|")
            shell.type("\u{15}")
            await shell.waitForLine("ble-cli> |")
        }
    }

    @Test func `Tab completes names, UUIDs and handles of the device`() async {
        let prompt = "Heart rate strap> "
        await withShell(TerminalProcess("shell", "Strap", "--simulate"), at: prompt) { shell in
            shell.type("rea\t")
            await shell.waitForLine(prompt + "read |")
            shell.type("batt\t")
            await shell.waitForLine(prompt + "read \"Battery Level\" |")
            shell.type("\u{15}wait 2A3\t")
            await shell.waitForLine(prompt + "wait 2A37 |")
            shell.type("\u{15}write @\t")
            await shell.waitForLine(prompt + "write @0010 |")
            shell.type("\u{15}write \t")
            await shell.wait(for: "Heart Rate Control Point")
            await shell.waitForLine(prompt + "write |")
            shell.type("\u{15}")
            await shell.waitForLine(prompt + "|")
        }
    }

    @Test func `Ctrl-C ends a step that runs, and the shell continues`() async {
        let prompt = "Heart rate strap> "
        await withShell(TerminalProcess("shell", "Strap", "--simulate"), at: prompt) { shell in
            shell.type("notify 2A37\r")
            await shell.wait(for: " bpm")
            shell.type("\u{03}")
            await shell.waitForLine(prompt + "|")
            shell.type("read 2A19\r")
            await shell.wait(for: "57  87 %")
            await shell.waitForLine(prompt + "|")
        }
    }

    @Test func `After a change of the width, the line is drawn again within it`() async {
        await withShell(TerminalProcess("shell", "--simulate")) { shell in
            shell.type(String(repeating: "x", count: 100))
            await shell.waitForLine("ble-cli> " + String(repeating: "x", count: 70) + "|")
            shell.resize(columns: 40)
            await shell.waitForLine("ble-cli> " + String(repeating: "x", count: 30) + "|")
            shell.resize(columns: 8, rows: 2)
            await shell.waitForLine("ble…xxx|")
            shell.resize(columns: 200)
            await shell.waitForLine("ble-cli> " + String(repeating: "x", count: 100) + "|")
            shell.type("\u{15}")
            await shell.waitForLine("ble-cli> |")
        }
    }

    @Test func `A closed terminal ends the shell`() async {
        for isEditing in [true, false] {
            let shell = TerminalProcess("shell", "Strap", "--simulate")
            await shell.waitForLine("Heart rate strap> |")
            shell.type(isEditing ? "read" : "notify 2A37\r")
            if isEditing { await shell.waitForLine("Heart rate strap> read|") } else { await shell.wait(for: " bpm") }
            shell.close()
            #expect(await shell.end() == ExitCode.hungUp.rawValue)
        }
    }

    @Test func `A note about a lost link does not disturb the line that is edited`() async throws {
        let simulation = CLIProcess("simulate", "everyday")
        let line = await simulation.firstLine()
        let address = String(line.dropFirst("DBUS_SYSTEM_BUS_ADDRESS=".count).dropLast())
        let shell = TerminalProcess("shell", "Strap", bus: address)
        await shell.waitForLine("Heart rate strap> |")
        shell.type("read 2A19 2A37" + String(repeating: Self.left, count: 5))
        await shell.waitForLine("Heart rate strap> read 2A19| 2A37")
        let client = BusClient(address)
        try await client.call("/org/bluez/hci0/dev_C0_FF_EE_00_00_01", "org.bluez.Device1.Disconnect")
        await shell.waitForLine("ble-cli> read 2A19| 2A37")
        let rows = shell.rows
        let note = try #require(rows.firstIndex { $0.contains("the link was lost") })
        #expect(rows[note].hasPrefix("ble-cli: C0:FF:EE:00:00:01"))
        #expect(rows.filter { $0.contains("read 2A19") }.count == 1, "\(rows)")
        shell.type("\u{05}\u{15}\u{04}")
        #expect(await shell.end() == 0)
        simulation.signal(SIGTERM)
        _ = await simulation.end()
    }

    @Test func `Without UTF-8, a terminal gets only ASCII`() async {
        let shell = TerminalProcess("shell", "--simulate", environment: ["LC_ALL": "C"])
        await shell.waitForLine("ble-cli> |")
        shell.type("dance ä日\r")
        await shell.wait(for: "ble-cli: \"dance\" is not a step.")
        await shell.waitForLine("ble-cli> |")
        shell.type("\u{04}")
        #expect(await shell.end() == 0)
        #expect(shell.rows.contains("ble-cli> dance ???"))
        #expect(shell.rows.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } })
    }

    @Test func `A terminal without control sequences gets prompts and no sequences`() async {
        let shell = TerminalProcess("shell", "--simulate", environment: ["TERM": "dumb"])
        await shell.waitForLine("ble-cli> |")
        shell.type("help read\n")
        await shell.wait(for: "USAGE: read")
        shell.type("quit\n")
        #expect(await shell.end() == 0)
        #expect(!shell.rows.contains { $0.contains("\u{1B}") })
    }

    // MARK: The history file

    @Test func `Steps are stored for the next shell; other lines are not`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-cli-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let environment = ["XDG_STATE_HOME": folder.path]
        await withShell(TerminalProcess("shell", "--simulate", environment: environment)) { shell in
            // A passkey that is typed by mistake, an unknown step, and a line that begins with a space.
            for line in ["pause 1ms", "123456", "dance", " pause 2ms", "help read", "pause 3ms"] {
                shell.type(line + "\r")
                await shell.wait(for: "ble-cli> " + line)
                await shell.waitForLine("ble-cli> |")
            }
        }
        let path = folder.appendingPathComponent("ble-cli/history").path
        let text = String(decoding: try #require(FileManager.default.contents(atPath: path)), as: UTF8.self)
        #expect(text == "pause 1ms\npause 3ms\n")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        await withShell(TerminalProcess("shell", "--simulate", environment: environment)) { shell in
            shell.type(Self.up + Self.up)
            await shell.waitForLine("ble-cli> pause 1ms|")
            shell.type("\u{15}")
            await shell.waitForLine("ble-cli> |")
        }
    }
}
