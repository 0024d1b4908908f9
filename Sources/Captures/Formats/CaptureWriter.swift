/// Writes packets as a capture that Wireshark and btmon open. Each result is to be appended to the file.
package struct CaptureWriter: Sendable {
    /// The format of a capture.
    package enum Format: Hashable, Sendable {
        /// pcapng with the link type BLUETOOTH_HCI_H4_WITH_PHDR (201).
        case pcapng
        /// btsnoop with the data link HCI UART (1002). This format has no place for comments.
        case snoop
    }

    private let format: Format

    package init(_ format: Format) { self.format = format }

    /// Returns the beginning of the file.
    ///
    /// - Parameters:
    ///   - comment: What readers should know about the packets.
    ///   - application: The program that writes the file.
    package func header(comment: String, application: String) -> [UInt8] {
        switch format {
        case .snoop:
            var header = Array("btsnoop\0".utf8)
            header.append(number: UInt32(1), .big)
            header.append(number: UInt32(1002), .big)
            return header
        case .pcapng:
            var section: [UInt8] = []
            section.append(number: PcapngFormat.magic)
            section.append(number: UInt16(1))
            section.append(number: UInt16(0))
            section.append(number: UInt64.max)
            Self.append(option: 1, Array(comment.utf8), to: &section)
            Self.append(option: 4, Array(application.utf8), to: &section)
            Self.append(option: 0, [], to: &section)
            var interface: [UInt8] = []
            interface.append(number: UInt16(201))
            interface.append(number: UInt16(0))
            interface.append(number: UInt32(0))
            Self.append(option: 2, Array("bluetooth".utf8), to: &interface)
            Self.append(option: 3, Array("synthesised HCI packets".utf8), to: &interface)
            Self.append(option: 9, [6], to: &interface)
            Self.append(option: 0, [], to: &interface)
            return Self.block(PcapngFormat.sectionHeader, section) + Self.block(1, interface)
        }
    }

    /// Returns the record of a packet. A packet without a direction counts as received.
    package func record(_ packet: CapturePacket) -> [UInt8] {
        let isSent = packet.direction == .sentByHost
        var record: [UInt8] = []
        switch format {
        case .snoop:
            record.append(number: UInt32(packet.bytes.count), .big)
            record.append(number: UInt32(packet.bytes.count), .big)
            let isControl = packet.bytes.first == PacketType.command || packet.bytes.first == PacketType.event
            record.append(number: (isSent ? UInt32(0) : 1) | (isControl ? 2 : 0), .big)
            record.append(number: UInt32(0), .big)
            record.append(number: packet.time &+ SnoopFormat.epoch, .big)
            return record + packet.bytes
        case .pcapng:
            let time = UInt64(bitPattern: packet.time)
            record.append(number: UInt32(0))
            record.append(number: UInt32(truncatingIfNeeded: time >> 32))
            record.append(number: UInt32(truncatingIfNeeded: time))
            record.append(number: UInt32(packet.bytes.count + 4))
            record.append(number: UInt32(packet.bytes.count + 4))
            record.append(number: isSent ? UInt32(0) : 1, .big)
            record += packet.bytes
            Self.pad(&record)
            return Self.block(6, record)
        }
    }

    private static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
        var block: [UInt8] = []
        block.append(number: type)
        block.append(number: UInt32(body.count + 12))
        block += body
        block.append(number: UInt32(body.count + 12))
        return block
    }

    private static func append(option code: UInt16, _ value: [UInt8], to body: inout [UInt8]) {
        body.append(number: code)
        body.append(number: UInt16(truncatingIfNeeded: value.count))
        body += value
        pad(&body)
    }

    private static func pad(_ bytes: inout [UInt8]) {
        while bytes.count % 4 != 0 { bytes.append(0) }
    }
}
