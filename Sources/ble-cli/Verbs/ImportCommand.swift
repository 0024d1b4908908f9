import ArgumentParser
import BluetoothCaptures
import ScenarioFiles

/// The command `ble-cli import`, which needs no Bluetooth.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Make a scenario from a capture of Bluetooth packets.",
        discussion: """
            Prints a scenario with the devices of the capture: their advertisements, their services with the last \
            values, and the values that they notified. Devices that were never connected have no services. FILE is a \
            btsnoop file (btmon -w, Android), or pcap or pcapng (Wireshark); - is standard input. It may have any \
            size. With TARGET, only the devices with this address or name, or with this part of it, are printed.

            If the capture ends early or is damaged, the packets before that place are used, and a note gives the \
            number of the packet. Packets of classic Bluetooth are skipped.

            EXAMPLES:
              ble-cli import btsnoop_hci.log > field.yaml
              ble-cli import strap.pcapng Strap > strap.yaml
              ble-cli simulate strap.yaml -- bluetoothctl --timeout 5 scan on
              ble-cli read Strap 2A19 --scenario ./strap.yaml
            """)

    @Argument(help: "The capture; - for standard input.", completion: .file()) var file: String
    @Argument(
        help: ArgumentHelp(
            "A device's address, its name, or a part of either. Default: all devices.", valueName: "device"))
    var target: String?

    func run() throws {
        let target = try target.map { text throws(CLIError) in try Target(parsing: text) }
        let messages = Messages(output: FileOutput.error)
        let text = try Self.scenario(file, matching: target, from: CaptureFile.read) { messages.note($0) }
        do { try FileOutput.standard.write(text) } catch is OutputClosed {}
    }

    /// Returns the scenario of a capture. Throws if the capture has no device.
    ///
    /// - Parameters:
    ///   - read: Reads the file with this path, and calls its argument with each chunk.
    ///   - note: Prints a sentence about what is left out.
    static func scenario(
        _ file: String, matching target: Target?,
        from read: (_ path: String, _ receive: ([UInt8]) throws -> Void) throws -> Void, note: (String) -> Void
    ) throws -> String {
        let name = file == "-" ? "standard input" : "“\(file)”"
        var notes: [String] = []
        var captures = CaptureImport()
        let unpacker = CaptureUnpacker()
        do {
            try read(file) { chunk in try unpacker.append(chunk) { try captures.add($0) } }
            try unpacker.finish { try captures.add($0) }
            try captures.finish()
        } catch let error as CaptureError {
            let isPartial = error.packetCount != nil || error.isOfArchive && captures.packetCount > 0
            guard isPartial else { throw CLIError(.usage, "Reading \(name) failed: \(error.text)") }
            let isUsed = captures.packetCount > 0 ? " The packets before that are used." : ""
            notes.append("\(error.text.prefix(1).uppercased())\(error.text.dropFirst())\(isUsed)")
        }
        let collector = captures.collector
        let counts = collector.counts
        if captures.unsupportedCount > 0 {
            notes.append(
                "Skipped \(captures.unsupportedCount) packets of interfaces that are not those of a Bluetooth host.")
        }
        if counts.truncated > 0 {
            notes.append(
                "\(counts.truncated) packets were truncated when they were captured, so their values are not known. "
                    + "Android does so unless its snoop log is set to Enabled instead of Filtered.")
        }
        if counts.classic > 0 { notes.append("Skipped \(counts.classic) packets of classic Bluetooth.") }
        if counts.malformed > 0 { notes.append("Skipped \(counts.malformed) malformed packets.") }
        if counts.ofOtherDevices > 0 {
            notes.append(
                "Skipped \(counts.ofOtherDevices) packets, because the capture has more than "
                    + "\(CaptureCollector.mostDevices) devices, or \(CaptureCollector.mostServers) with a link.")
        }
        let scenario = CaptureToScenario(collector.all, matching: target)
        notes += scenario.notes
        guard !scenario.peripherals.isEmpty else {
            let what = target.map { "no device \($0)" } ?? "no device of Bluetooth LE"
            let text = "The capture in \(name) contains \(what) in \(captures.packetCount) packets."
            throw CLIError(
                .notFound, ([text] + notes + ["Check that it was captured on the host."]).joined(separator: " "))
        }
        for line in notes { note(line) }
        return ScenarioWriter.text(
            scenario.peripherals,
            comment: ["Imported from \(file == "-" ? name : file) by ble-cli import: \(counts.packets) packets."])
    }
}

/// The captures of a file, of which an archive may have several. Their devices are collected together.
struct CaptureImport {
    private(set) var collector = CaptureCollector()
    private(set) var packetCount = 0
    private(set) var unsupportedCount = 0
    private var reader: CaptureReader?

    mutating func add(_ part: CaptureUnpacker.Part) throws(CaptureError) {
        switch part {
        case .begin:
            try finish()
            reader = CaptureReader()
        case .bytes(let bytes):
            guard var reader = reader.take() else { return }
            defer { self.reader = reader }
            reader.append(bytes)
            while let packet = try reader.next() {
                packetCount += 1
                collector.add(packet)
            }
        }
    }

    /// Checks that the present capture is complete.
    mutating func finish() throws(CaptureError) {
        guard var reader = reader.take() else { return }
        unsupportedCount += reader.unsupportedCount
        try reader.finish()
    }
}

extension CaptureError {
    /// Whether the error is about the compressed data, and not about a capture.
    fileprivate var isOfArchive: Bool { [.noCaptureInArchive, .damagedArchive, .cutArchive].contains(self) }

    /// What is wrong with the capture, for the user.
    fileprivate var text: String {
        switch self {
        case .empty: return "the file is empty. Give a capture in btsnoop, pcap, pcapng or PacketLogger."
        case .unknownFormat: return "the format is not known. Give a capture in btsnoop, pcap, pcapng or PacketLogger."
        case .noCaptureInArchive:
            return "the archive has no capture. Switch the Bluetooth HCI snoop log on, and make another bug report."
        case .damagedArchive: return "the compressed data is damaged. Copy the file again."
        case .cutArchive: return "the compressed data ends early. Copy the file again."
        case .unsupportedLinkType(let number, let isSnoop):
            let list = isSnoop ? "1001, 1002 and 2001" : "187, 201 and 254"
            let sniffer = [251, 256, 272].contains(number) && !isSnoop ? " of a sniffer" : ""
            return
                "its link type \(number)\(sniffer) is not supported. Give a capture of a Bluetooth host, with one of "
                + "the link types \(list)."
        case .truncated(let count): return "The file ends within packet \(count + 1)."
        case .damaged(let count, let reason): return "The file is damaged after packet \(count): \(reason)."
        }
    }
}
