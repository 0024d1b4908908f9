import BluetoothValues
import Glibc
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// `ble-cli simulate` as a process that serves other programs, on the real clock.
///
/// Each test waits for the output or the end of a program.
@Suite(.timeLimit(.minutes(5)))
struct SimulateTests {
    /// Starts `ble-cli simulate`, and returns the program with the bus address from its first line.
    private func serve(_ arguments: String...) async throws -> (CLIProcess, address: String) {
        let program = CLIProcess(list: ["simulate"] + arguments)
        let line = await program.firstLine()
        let prefix = "DBUS_SYSTEM_BUS_ADDRESS="
        try #require(line.hasPrefix(prefix) && line.hasSuffix("\n"), "\(line)")
        return (program, String(line.dropFirst(prefix.count).dropLast()))
    }

    @Test func `The written keys let a scan read each device of the showroom`() async throws {
        let path = "/tmp/rxbluetooth-showroom-\(UInt64.random(in: 0...(.max))).keys"
        defer { unsafe unlink(path) }
        let (server, address) = try await serve("showroom", "--write-keys", path)
        let count = Scenario.showroom.peripherals.count
        let isComplete = { (end: CLIProcess.End) in
            end.lines.count == count && !end.output.contains("\"reading\":null")
        }
        let scans = [
            await CLIProcess.scan("--json", "--keys", path, bus: address, until: isComplete),
            await CLIProcess.scan("--json", "--keys", path, "--scenario", "showroom", until: isComplete),
        ]
        for scan in scans {
            #expect(scan.lines.count == count)
            #expect(scan.lines.filter { !$0.contains("\"readingError\":null") } == [])
            #expect(scan.lines.filter { $0.contains("\"reading\":null") } == [])
            #expect(scan.lines.count { $0.contains("\"encrypted\":true") } == Scenario.showroomKeys.count)
        }
        let second = await CLIProcess("simulate", "showroom", "--write-keys", path).end()
        #expect(second.code == 64)
        #expect(second.errors.contains("exists"))
        let keyless = await CLIProcess("simulate", "everyday", "--write-keys", path + "2").end()
        #expect(keyless.code == 64)
        server.signal(SIGINT)
        #expect(await server.end().code == 130)
    }

    @Test func `Another process sees the devices, and the bus ends with the simulation`() async throws {
        let (server, address) = try await serve()
        let scan = await CLIProcess.scan(bus: address) { $0.lines.count == 5 }
        #expect(scan.code == 0)
        #expect(scan.lines.count == 5)
        server.signal(SIGINT)
        let end = await server.end()
        #expect(end.code == 130)
        #expect(end.errors.isEmpty)
        // Each of the five devices was found.
        let line = try #require(end.lines.last)
        let form = /Sent (\d+) advertisements(?:\.|; \d+ more were due, but this computer was too slow\.)/
        let sent = try #require(line.wholeMatch(of: form).flatMap { Int($0.1) }, "\(line)")
        #expect(sent >= 5)
        #expect(await CLIProcess("scan", bus: address).end().code == 3)
    }

    @Test func `A second simulation on the same bus fails`() async throws {
        let (first, address) = try await serve("everyday")
        let second = await CLIProcess("simulate", "--bus", address).end()
        #expect(second.code == 5)
        #expect(second.output.isEmpty)
        #expect(second.errorLines.count == 1)
        #expect(second.errors.contains("org.bluez"))
        first.signal(SIGTERM)
        #expect(await first.end().code == 143)
    }

    @Test func `Two signals at once, as timeout(1) sends them, count as one`() async throws {
        let (server, _) = try await serve()
        try server.signalAtOnce(SIGTERM, SIGHUP)
        let end = await server.end()
        #expect([129, 143].contains(end.code))
        #expect(end.lines.last == "Sent 0 advertisements.")
    }

    @Test func `A bus that is gone is reported in one line with exit code 3`() async throws {
        let (first, address) = try await serve()
        // This signal ends the bus itself, not only the program that owns the bus name.
        first.signal(SIGINT)
        _ = await first.end()
        let end = await CLIProcess("simulate", "--bus", address).end()
        #expect(end.code == 3)
        #expect(end.errorLines.count == 1)
    }

    @Test func `The bus ends if the program is killed`() async throws {
        let (server, address) = try await serve()
        try server.killChild()
        _ = await server.end()
        // Polls, because the time until dbus-daemon exits depends on the load of the machine.
        var code: Int32 = 0
        for _ in 0..<200 where code != 3 {
            code = await CLIProcess("adapters", "--timeout", "1", bus: address).end().code
        }
        #expect(code == 3)
    }

    private static let mistakes: [(arguments: [String], code: Int32, part: String)] = [
        (["nonsense"], 64, "There is no scenario “nonsense”"),
        (["--bus", ""], 64, "is empty"),
        (["--bus", "nonsense"], 64, "Give an address such as"),
        (["--bus", "unix:path=/nonexistent/bus"], 3, "Check that there is a bus"),
    ]

    @Test(arguments: mistakes)
    func `An invalid scenario or bus is reported in one line`(arguments: [String], code: Int32, part: String) async {
        let end = await CLIProcess(list: ["simulate"] + arguments).end()
        #expect(end.code == code)
        #expect(end.output.isEmpty)
        #expect(end.errorLines.count == 1)
        #expect(end.errors.hasPrefix("ble-cli: "))
        #expect(end.errors.contains(part))
    }

    @Test func `The link is closed although the program exits without waiting`() async throws {
        let (server, address) = try await serve()
        let client = BusClient(address)
        // The reply proves that the client's subscription to signals is active.
        #expect(try await client.objects().contains("hci0"))
        let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
        let read = await CLIProcess("read", "C0:FF:EE:00:00:01", "2A19", bus: address).end()
        #expect(read.output == "57  87 %\n")
        #expect(read.code == 0)
        await client.signal("\(device) PropertiesChanged", "\"Connected\"", "true")
        await client.signal("\(device) PropertiesChanged", "\"Connected\"", "false")
        let notify = CLIProcess("notify", "C0:FF:EE:00:00:01", "2A37", bus: address)
        _ = await notify.firstLine()
        notify.signal(SIGINT)
        #expect(await notify.end().code == 130)
        await client.signal("\(device) PropertiesChanged", "\"Connected\"", "false")
        server.signal(SIGTERM)
        _ = await server.end()
    }

    @Test func `A command after the terminator runs on the bus, and its exit code is passed on`() async {
        let end = await CLIProcess(
            "simulate", "everyday", "--", "sh", "-c",
            "test -n \"$DBUS_SYSTEM_BUS_ADDRESS\" && echo out && echo err >&2 && exit 7"
        ).end()
        #expect(end.code == 7)
        #expect(end.output == "out\n")
        #expect(end.errors == "err\n")
        let killed = await CLIProcess("simulate", "--", "sh", "-c", "kill -KILL $$").end()
        #expect(killed.code == 137)
        let options = await CLIProcess("simulate", "--", "printf", "%s", "--bus").end()
        #expect(options.output == "--bus")
    }

    @Test func `A command that does not exist is reported in one line`() async {
        let end = await CLIProcess("simulate", "--", "/nowhere/program").end()
        #expect(end.code == 64)
        #expect(end.errorLines.count == 1)
        #expect(end.errors.hasPrefix("ble-cli: “/nowhere/program” cannot be run: "))
    }

    @Test func `A signal to the simulation ends its command, which decides the exit code`() async {
        let program = CLIProcess(
            "simulate", "--", "sh", "-c",
            "trap 'kill $!; exit 9' TERM; echo ready; tail -f /dev/null > /dev/null 2>&1 & wait")
        _ = await program.firstLine()
        program.signal(SIGTERM)
        #expect(await program.end().code == 9)
    }
}
