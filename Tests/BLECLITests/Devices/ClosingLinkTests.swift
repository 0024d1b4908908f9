import Foundation
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Verbs that run one after another, although bluetoothd needs 2 s to close the link of the first verb.
struct ClosingLinkTests {
    private let strap = Target.address("C0:FF:EE:00:00:01")

    private static let verbs: [any Verb] = [
        ReadVerb(target: .address("C0:FF:EE:00:00:01"), characteristic: .uuid(0x2A19)),
        WriteVerb(target: .address("C0:FF:EE:00:00:01"), characteristic: .uuid(0x2A39), value: [1]),
        ConnectVerb(target: .address("C0:FF:EE:00:00:01")),
        NotifyVerb(target: .address("C0:FF:EE:00:00:01"), characteristic: .uuid(0x2A37), count: 1),
        PairVerb(target: .address("C0:FF:EE:00:00:01")),
        // This verb connects, and then fails because the device has no such characteristic.
        ReadVerb(target: .address("C0:FF:EE:00:00:01"), characteristic: .uuid(0x2A6E)),
    ]

    @Test(arguments: verbs.indices)
    func `A verb closes its link without waiting for the reply to Disconnect`(index: Int) {
        let harness = CommandHarness()
        // Waiting for Disconnect would add 2 s: the scan takes 0.1 s, connecting 0.25 s, a value at most 1 s.
        let outcome = harness.run(Self.verbs[index], for: 3)
        #expect(outcome.code != nil)
        #expect((outcome.time ?? 9) < 1.9, "\(outcome.time ?? 9)")
        #expect(harness.calls("Connect") == 1)
        #expect(harness.calls("Disconnect") == 1)
        harness.advance(3_000)
        // The second verb must connect again, because the first verb has closed its link.
        #expect(harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19))).code == .done)
        #expect(harness.calls("Connect") == 2)
        #expect(harness.calls("Disconnect") == 2)
    }

    @Test func `The next verb waits until the previous link is down, then connects itself`() {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        #expect(harness.calls("Disconnect") == 1)
        let outcome = harness.run(NotifyVerb(target: strap, characteristic: .uuid(0x2A37)), .limited(.seconds(10)))
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(outcome.lines.count > 5)
        #expect(harness.calls("Connect") == 2)
        #expect(harness.calls("Disconnect") == 2)
    }

    @Test(arguments: ["C0:FF:EE:00:00:01", "Heart rate strap", "strap"])
    func `Reading a known device again takes at most 0.6 s`(target: String) throws {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let verb = ReadVerb(target: try Target(parsing: target), characteristic: .uuid(0x2A19))
        for _ in 0..<5 {
            let outcome = harness.run(verb, for: 1)
            #expect(outcome.code == .done, "\(outcome.errors)")
            #expect((outcome.time ?? 9) <= 0.6, "\(outcome.time ?? 9)")
        }
        // The last commands have connected again, because the link of the first ones was closed after 2 s.
        #expect(harness.calls("Disconnect") > 1)
    }

    private static let short: [any Verb] = [
        ReadVerb(target: .part("Heart rate strap"), characteristic: .uuid(0x2A19)),
        WriteVerb(target: .part("Heart rate strap"), characteristic: .uuid(0x2A39), value: [1]),
        ConnectVerb(target: .part("Heart rate strap")),
    ]

    @Test(arguments: short.indices)
    func `A short command uses the link that the command before is closing`(index: Int) {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let first = harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        #expect(first.code == .done, "\(first.errors)")
        let second = harness.run(Self.short[index], for: 5)
        #expect(second.code == .done, "\(second.errors)")
        #expect((second.time ?? 9) <= 0.6, "\(second.time ?? 9)")
        #expect(harness.calls("Disconnect") == 1)
    }

    @Test(arguments: [1, 5, 10, 20, 40, 60, 100, 150, 200])
    func `A tree that is printed while its link ends is complete and has no repetition`(milliseconds: Int) {
        let harness = CommandHarness()
        let verb = ConnectVerb(target: strap)
        let whole = harness.run(verb, for: 1)
        harness.advance(Int((whole.time ?? 0) * 1000) + 1000 - milliseconds)
        let second = harness.run(verb)
        #expect(second.code == .done, "\(second.errors)")
        // bluetoothd turns some notifications on after it has connected, which changes 2902.
        let isStable: (String) -> Bool = { !$0.contains("Client Characteristic Configuration") }
        #expect(second.lines.filter(isStable) == whole.lines.filter(isStable))
        #expect(second.lines.count == whole.lines.count)
    }

    @Test func `A value is written once, although the link of the command before ends`() {
        for milliseconds in stride(from: 0, through: 1_950, by: 50) {
            let harness = CommandHarness()
            harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
            harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
            harness.advance(milliseconds)
            let outcome = harness.run(WriteVerb(target: strap, characteristic: .uuid(0x2A39), value: [1]), for: 5)
            #expect(outcome.code == .done, "\(outcome.errors)")
            #expect(harness.calls("WriteValue") == 1)
        }
    }

    @Test func `A long value waits for the end of a link that is being closed`() {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        let value = [UInt8](repeating: 1, count: 21)
        let outcome = harness.run(WriteVerb(target: strap, characteristic: .uuid(0x2A39), value: value), for: 5)
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(harness.calls("Disconnect") == 2)
    }

    @Test(arguments: [0, 13, 37, 61, 89])
    func `A command that waits for a link connects when bluetoothd has closed it`(milliseconds: Int) {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let verb = PairVerb(target: strap)
        let alone = harness.run(verb, for: 4)
        #expect(alone.code == .done, "\(alone.errors)")
        #expect(harness.run(ForgetVerb(target: strap), for: 1).code == .done)
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let first = harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        harness.advance(milliseconds)
        let second = harness.run(verb, for: 6)
        // bluetoothd closes the link 2 s after the end of the first command.
        let wait = 2 - (1 - (first.time ?? 0)) - Double(milliseconds) / 1000
        #expect(abs((second.time ?? 9) - (alone.time ?? 0) - wait) < 0.03, "\(second.time ?? 9) \(wait)")
    }

    @Test(arguments: [1, 5, 10, 15, 20, 30, 40, 60, 100])
    func `A link that ends while a command reads over it is replaced`(milliseconds: Int) {
        let harness = CommandHarness()
        let verb = ReadVerb(target: strap, characteristic: .uuid(0x2A19))
        let first = harness.run(verb, for: 1)
        // bluetoothd closes the link 2 s after the first command, which ran for less than 1 s.
        harness.advance(Int((first.time ?? 0) * 1000) + 1000 - milliseconds)
        let second = harness.run(verb)
        #expect(second.code == .done, "\(second.errors)")
        #expect(second.lines == first.lines)
    }

    @Test func `The link of another program is shared at once, and not closed`() {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let rival = harness.simulation.bluez.competingClient()
        rival.connect("C0:FF:EE:00:00:01")
        harness.advance(1_000)
        let outcome = harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)))
        #expect(outcome.code == .done)
        #expect((outcome.time ?? 9) < 1.5, "\(outcome.time ?? 9)")
        #expect(harness.calls("Disconnect") == 0)
    }

    @Test func `A link that closes slowly is not taken for the link of another program`() {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let slow = harness.simulation.bluez.competingClient()
        slow.connect("C0:FF:EE:00:00:01")
        harness.advance(1_000)
        harness.closingLinks.insert(LinkKey(adapter: "hci0", address: "C0:FF:EE:00:00:01"), at: harness.scheduler.now)
        let close: @Sendable (CommandRunner) -> Void = { _ in slow.disconnect("C0:FF:EE:00:00:01") }
        let outcome = harness.run(
            ReadVerb(target: strap, characteristic: .uuid(0x2A19)), meanwhile: [(time: 3_000, event: close)])
        #expect(outcome.code == .done, "\(outcome.errors)")
        #expect(harness.calls("Connect") == 2)
    }

    @Test func `If another program closes the shared link, the error names --reconnect`() {
        let harness = CommandHarness()
        harness.run(ScanVerb(), .limited(.seconds(1)), for: 2)
        let rival = harness.simulation.bluez.competingClient()
        rival.connect("C0:FF:EE:00:00:01")
        harness.advance(1_000)
        let close: @Sendable (CommandRunner) -> Void = { _ in rival.disconnect("C0:FF:EE:00:00:01") }
        let outcome = harness.run(
            NotifyVerb(target: strap, characteristic: .uuid(0x2A37)), meanwhile: [(time: 3_000, event: close)])
        #expect(outcome.code == .failed)
        #expect(outcome.errors.last?.contains("another program may have closed it") == true, "\(outcome.errors)")
        #expect(outcome.errors.last?.contains("--reconnect") == true)
    }

    @Test func `A record of a closing link ends after 10 s, and differs from that of a kept link`() throws {
        var template = Array("/tmp/ble-cli-closing.XXXXXX".utf8CString)
        let folder = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let kept = KeptLinkFiles(folder: folder, bus: "")
        let closing = ClosingLinkFiles(files: KeptLinkFiles(folder: folder, bus: "", prefix: "closing-"))
        let link = LinkKey(adapter: "hci0", address: "C0:FF:EE:00:00:01")
        let now = Date()
        closing.insert(link, at: now)
        #expect(closing.contains(link, at: now) && !kept.contains(link))
        #expect(!closing.contains(link, at: now.addingTimeInterval(11)))
        closing.remove(link)
        #expect(!closing.contains(link, at: now))
        let memory = MemoryClosingLinks()
        memory.insert(link, at: now)
        #expect(memory.contains(link, at: now.addingTimeInterval(9)))
        #expect(!memory.contains(link, at: now.addingTimeInterval(11)))
    }

    @Test func `With --keep after another command, the link stays open`() {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        let kept = harness.run(ConnectVerb(target: strap, keepsLink: true))
        #expect(kept.code == .done, "\(kept.errors)")
        harness.advance(10_000)
        #expect(harness.run(InfoVerb(target: strap)).lines.contains("  Connected         yes"))
        #expect(harness.calls("Connect") == 2 && harness.calls("Disconnect") == 1)
    }

    @Test func `With --keep after another command, notifications arrive over a new link`() {
        let harness = CommandHarness()
        harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        let verb = NotifyVerb(target: strap, characteristics: [.uuid(0x2A37)], count: 5, keepsLink: true)
        let outcome = harness.run(verb)
        #expect(outcome.code == .done && outcome.lines.count == 5, "\(outcome.errors)")
    }

    @Test func `A kept link that was lost does not count as kept after another command`() {
        let harness = CommandHarness()
        harness.run(ConnectVerb(target: strap, keepsLink: true))
        harness.simulation.bluez.dropLink(to: "C0:FF:EE:00:00:01")
        harness.advance(3_000)
        harness.run(ReadVerb(target: strap, characteristic: .uuid(0x2A19)), for: 1)
        #expect(harness.run(ConnectVerb(target: strap, keepsLink: true)).code == .done)
        harness.advance(10_000)
        #expect(harness.run(InfoVerb(target: strap)).lines.contains("  Connected         yes"))
    }

    @Test func `Kept links are separate for each device and bus, and their number is limited`() throws {
        var template = Array("/tmp/ble-cli-kept.XXXXXX".utf8CString)
        let folder = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func link(_ number: UInt16) throws -> LinkKey {
            let address = "C0:FF:EE:00:\(HexBytes.text([UInt8(number >> 8)])):\(HexBytes.text([UInt8(number & 0xFF)]))"
            return LinkKey(adapter: "hci0", address: try #require(BluetoothAddress(address)))
        }
        let files = KeptLinkFiles(folder: folder + "/run", bus: "unix:path=/a/bus")
        files.insert(try link(1))
        #expect(try files.contains(link(1)) && !files.contains(link(2)))
        #expect(try !KeptLinkFiles(folder: folder + "/run", bus: "unix:path=/b/bus").contains(link(1)))
        #expect(try !KeptLinkFiles(folder: nil, bus: "").contains(link(1)))
        files.remove(try link(1))
        #expect(try !files.contains(link(1)))
        for number in 0..<UInt16(3 * KeptLinkFiles.limit) { files.insert(try link(number)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder + "/run")
        #expect(names.count <= KeptLinkFiles.limit)
        #expect(try files.contains(link(UInt16(3 * KeptLinkFiles.limit - 1))))
    }
}
