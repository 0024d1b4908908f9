import BluetoothCaptures
import RxBluetoothMocks
import RxBluetoothSupport
import ScenarioFiles
import TestTraits
import Testing

@testable import ble_cli

struct ImportTests {
    private static let recording: [UInt8] = {
        let file = RecordedFile()
        CommandHarness().run(file.verb("OUT", .part("thermo"), for: .seconds(6)))
        return file.bytes
    }()

    @Test(.proves(.S139)) func `A capture that is cut in half gives what is there, with the packet in a note`() throws {
        let (text, notes) = try RecordedFile.imported(Array(Self.recording.prefix(Self.recording.count / 2 + 1)))
        #expect(notes.first?.hasPrefix("The file ends within packet ") == true)
        #expect(try ScenarioFile.read(text).peripherals.map(\.name) == ["Thermometer"])
    }

    @Test(.proves(.S139)) func `A damaged capture gives all packets before the damage, with a note`() throws {
        // A block of a packet that says that it has 7 bytes; the shortest one has 32.
        let damage: [UInt8] = [6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0]
        let (text, notes) = try RecordedFile.imported(Self.recording + damage + Self.recording)
        let whole = try RecordedFile.imported(Self.recording)
        #expect(text == whole.scenario && whole.notes.isEmpty)
        #expect(notes.count == 1 && notes.first?.hasPrefix("The file is damaged after packet ") == true, "\(notes)")
        #expect(notes.first?.hasSuffix(": a block of 7 bytes. The packets before that are used.") == true, "\(notes)")
    }

    @Test func `A cut capture without a device is an error in one line`() {
        var notes: [String] = []
        let error = #expect(throws: CLIError.self) {
            try ImportCommand.scenario(
                "FILE", matching: nil, from: { _, receive in try receive(Array(Self.recording.prefix(300))) },
                note: { notes.append($0) })
        }
        #expect(notes.isEmpty)
        #expect(error?.text.contains("no device of Bluetooth LE") == true)
        #expect(error?.text.contains("The file ends within packet ") == true, "\(error?.text ?? "")")
    }

    @Test func `Only the devices that match the target are printed`() throws {
        let file = RecordedFile()
        CommandHarness().run(file.verb("OUT", for: .seconds(3)))
        let text = try RecordedFile.imported(file.bytes, matching: .part("plug")).scenario
        #expect(try ScenarioFile.read(text).peripherals.map(\.name) == ["Loose plug"])
        #expect(throws: CLIError.self) { try RecordedFile.imported(file.bytes, matching: .part("nothing")) }
    }

    @Test(.proves(.S139)) func `An unknown format and an unsupported link type are errors that say what to give`() {
        let ethernet = [
            "d4c3b2a1", "02000400", "00000000", "00000000", "00000400", "01000000",
        ]
        let bytes = ethernet.flatMap { word in
            stride(from: 0, to: 8, by: 2).map { UInt8(word.dropFirst($0).prefix(2), radix: 16)! }
        }
        func message(_ bytes: [UInt8], from file: String = "FILE") -> String? {
            do { _ = try RecordedFile.imported(bytes, from: file) } catch { return (error as? CLIError)?.text }
            return nil
        }
        #expect(message(bytes)?.contains("its link type 1 is not supported") == true)
        #expect(message(Array("hello, world".utf8))?.contains("the format is not known") == true)
        #expect(message([])?.contains("the file is empty") == true)
        #expect(message([])?.hasPrefix("Reading “FILE” failed: ") == true)
        #expect(message([], from: "-")?.hasPrefix("Reading standard input failed: ") == true)
    }

    @Test(.proves(.S139)) func `Packets of classic Bluetooth are skipped and counted`() throws {
        let writer = CaptureWriter(.pcapng)
        let classic = CapturePacket(time: 0, direction: .receivedByHost, bytes: [4, 0x02, 1, 0])
        let (_, notes) = try RecordedFile.imported(Self.recording + writer.record(classic) + writer.record(classic))
        #expect(notes == ["Skipped 2 packets of classic Bluetooth."])
    }

    @Test(.proves(.S139)) func `Overlapping services in a capture do not repeat characteristics`() throws {
        let count: UInt16 = 400
        let identity = try #require(DeviceIdentity("C0:FF:EE:00:00:01", isRandom: true))
        var packets = [ATTPacket]()
        func bytes(_ numbers: UInt16...) -> [UInt8] { numbers.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
        for place in 0..<count {
            packets.append(ATTPacket(.readByGroupTypeRequest, bytes(1, 0xFFFF, 0x2800)))
            packets.append(ATTPacket(.readByGroupTypeResponse, [6] + bytes(1 + place, 0xFFFF, 0x180F)))
            packets.append(ATTPacket(.readByTypeRequest, bytes(1, 0xFFFF, 0x2803)))
            let handle = 1000 + 2 * place
            packets.append(ATTPacket(.readByTypeResponse, [7] + bytes(handle) + [2] + bytes(handle + 1, 0x2A19)))
        }
        let writer = CaptureWriter(.pcapng)
        func record(_ bytes: [UInt8], isSent: Bool = false) -> [UInt8] {
            writer.record(
                CapturePacket(time: 0, direction: isSent ? .sentByHost : .receivedByHost, bytes: bytes))
        }
        let capture =
            writer.header(comment: "", application: "") + record(SyntheticHCI.connected(to: identity))
            + packets.enumerated().flatMap { record(SyntheticHCI.data($1), isSent: $0.isMultiple(of: 2)) }
        let scenario = try ScenarioFile.read(try RecordedFile.imported(capture, chunk: 1 << 16).scenario)
        let services = try #require(scenario.peripherals.first).services
        #expect(services.count == Int(count))
        #expect(services.map(\.characteristics.count).reduce(0, +) == Int(count))
        #expect(services.last?.characteristics.count == Int(count))
    }

    @Test(.proves(.S139), arguments: [UInt64](1...6))
    func `A scenario of a damaged capture can be read, or there is an error`(_ seed: UInt64) throws {
        var dice = SplitMix64(seed: seed)
        for _ in 0..<60 {
            var bytes = Self.recording
            for _ in 0..<Int.random(in: 1...40, using: &dice) {
                bytes[Int.random(in: 100..<bytes.count, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
            }
            do {
                let text = try RecordedFile.imported(bytes).scenario
                _ = try ScenarioFile.read(text)
            } catch is CLIError {}
        }
    }
}
