/// A packet between a host and its Bluetooth controller, with its time and direction.
package struct CapturePacket: Hashable, Sendable {
    /// The way of a packet.
    package enum Direction: Hashable, Sendable {
        case sentByHost, receivedByHost
    }

    /// The number of the packet in its file, from 1.
    package var number: Int
    /// The time in microseconds since 1970; 0 if the format has no time.
    package var time: Int64
    /// The direction; nil if the format has none.
    package var direction: Direction?
    /// The controller; 0 if the format has no number for it. Each controller numbers its own links.
    ///
    /// The lower 16 bits are the adapter of Linux's monitor channel, the upper ones the interface of a pcapng file.
    package var controller: UInt32
    /// The packet of the UART transport: its type, then its bytes.
    ///
    /// Source: Core Specification 5.4, Vol 4, Part A, 2.
    package var bytes: [UInt8]
    /// Whether the program that captured the packet has stored only its beginning.
    package var isTruncated = false

    package init(number: Int = 0, time: Int64, direction: Direction?, controller: UInt32 = 0, bytes: [UInt8]) {
        self.number = number
        self.controller = controller
        self.time = time
        self.direction = direction
        self.bytes = bytes
    }
}

/// The reason why a capture cannot be read further.
package enum CaptureError: Error, Hashable, Sendable {
    /// The file has no bytes.
    case empty
    /// The file has none of the known formats.
    case unknownFormat
    /// The packets of the file are not those of a Bluetooth host. The number is the link type of the file.
    case unsupportedLinkType(UInt32, isSnoop: Bool)
    /// The file is a zip archive without a capture.
    case noCaptureInArchive
    /// The compressed data is not valid.
    case damagedArchive
    /// The compressed data ends early.
    case cutArchive
    /// The file ends within a record, after this number of complete packets.
    case truncated(afterPacket: Int)
    /// A record is malformed, after this number of complete packets.
    case damaged(afterPacket: Int, String)

    /// The number of complete packets before the error; nil if the file cannot be read at all.
    package var packetCount: Int? {
        switch self {
        case .empty, .unknownFormat, .unsupportedLinkType, .noCaptureInArchive, .damagedArchive, .cutArchive: nil
        case .truncated(let count), .damaged(let count, _): count
        }
    }
}

/// The numbers of the packet types of the UART transport.
package enum PacketType {
    package static let command: UInt8 = 1
    package static let acl: UInt8 = 2
    package static let synchronous: UInt8 = 3
    package static let event: UInt8 = 4
    package static let isochronous: UInt8 = 5
}
