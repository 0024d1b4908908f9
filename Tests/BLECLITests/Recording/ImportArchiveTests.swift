import BluetoothCaptures
import Foundation
import RxBluetoothMocks
import ScenarioFiles
import TestTraits
import Testing

@testable import ble_cli

/// The verb `import`: archives, captures of PacketLogger, and captures that contain packets in part.
struct ImportArchiveTests {
    /// A recording of a device with a link, in btsnoop.
    private static let recording: [UInt8] = {
        let file = RecordedFile()
        CommandHarness().run(file.verb("OUT.btsnoop", .part("thermo"), for: .seconds(6)))
        return file.bytes
    }()

    private static func packets() throws -> [CapturePacket] {
        var reader = CaptureReader()
        reader.append(recording)
        var packets: [CapturePacket] = []
        while let packet = try reader.next() { packets.append(packet) }
        return packets
    }

    /// Returns a file that the program gzip, which each Debian has, makes without a name.
    static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("import-\(UUID())")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-nc", file.path]
        process.standardOutput = output
        try process.run()
        let compressed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Array(compressed)
    }

    /// Returns a bug report of Android with one compressed capture.
    private static func bugReport(_ bytes: [UInt8]) throws -> [UInt8] {
        // Without the header and the trailer of gzip.
        let data = try gzip(bytes).dropFirst(10).dropLast(8)
        let name = Array("FS/data/misc/bluetooth/logs/btsnoop_hci.log".utf8)
        var file: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0, 0, 0, 8, 0] + [UInt8](repeating: 0, count: 8)
        file.append(number: UInt32(data.count))
        file.append(number: UInt32(bytes.count))
        file.append(number: UInt16(name.count))
        file.append(number: UInt16(0))
        return file + name + data + [0x50, 0x4B, 1, 2] + [UInt8](repeating: 0, count: 42)
    }

    /// Returns the packets as a capture of PacketLogger.
    private static func packetLogger(_ packets: [CapturePacket]) -> [UInt8] {
        var file: [UInt8] = []
        for packet in packets {
            let (seconds, fraction) = packet.time.quotientAndRemainder(dividingBy: 1_000_000)
            var type: UInt8 = packet.bytes.first == PacketType.command ? 0 : 1
            if packet.bytes.first == PacketType.acl { type = packet.direction == .sentByHost ? 2 : 3 }
            file.append(number: UInt32(8 + packet.bytes.count), .big)
            file.append(number: UInt32(1_700_000_000 + seconds), .big)
            file.append(number: UInt32(fraction), .big)
            file.append(type)
            file += packet.bytes.dropFirst()
        }
        return file
    }

    @Test func `A gzip file, a bug report and a capture of PacketLogger give the same scenario`() throws {
        let plain = try RecordedFile.imported(Self.recording)
        #expect(try ScenarioFile.read(plain.scenario).peripherals.map(\.name) == ["Thermometer"])
        let logged = Self.packetLogger(try Self.packets())
        let compressed = [try Self.gzip(Self.recording), try Self.bugReport(Self.recording), try Self.gzip(logged)]
        for file in compressed + [logged] {
            let imported = try RecordedFile.imported(file)
            #expect(imported.scenario == plain.scenario)
            #expect(imported.notes == plain.notes)
        }
    }

    @Test(.proves(.S139)) func `A cut gzip file gives the packets before the end, with a note`() throws {
        let file = try Self.gzip(Self.recording)
        let (text, notes) = try RecordedFile.imported(Array(file.dropLast(file.count / 4)))
        #expect(try ScenarioFile.read(text).peripherals.map(\.name) == ["Thermometer"])
        #expect(
            notes.first == "The compressed data ends early. Copy the file again. The packets before that are used.",
            "\(notes)")
    }

    @Test func `A note counts the packets that were captured in part`() throws {
        let writer = CaptureWriter(.snoop)
        var file = writer.header(comment: "", application: "")
        var count = 0
        for packet in try Self.packets() {
            let record = writer.record(packet)
            guard packet.bytes.first == PacketType.acl, packet.bytes.count > 9 else {
                file += record
                continue
            }
            // A record begins with the length of the packet, and the number of its bytes in the file.
            count += 1
            file += record[0..<4]
            file.append(number: UInt32(9), .big)
            file += record[8..<33]
        }
        #expect(count > 5)
        let (text, notes) = try RecordedFile.imported(file)
        #expect(
            notes.first
                == "\(count) packets were truncated when they were captured, so their values are not known. Android does "
                + "so unless its snoop log is set to Enabled instead of Filtered.")
        let device = try #require(try ScenarioFile.read(text).peripherals.first)
        #expect(device.name == "Thermometer" && device.services.isEmpty)
    }
}
