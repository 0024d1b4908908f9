/// Reads the packets of a capture that arrives in chunks: btsnoop, pcap, pcapng or PacketLogger.
///
/// Append a chunk, then call ``next()`` until it returns nil. After the last chunk, call ``finish()``. The reader holds
/// at most one record.
package struct CaptureReader: Sendable {
    private var buffer = ChunkBuffer()
    private var format = Format.unknown
    private var hasBytes = false
    private var hasFailed = false
    /// The number of records that have been read, including those that ``next()`` left out.
    package private(set) var packetCount = 0
    /// The number of records that are left out, because their interface has an unsupported link type.
    package var unsupportedCount: Int {
        if case .pcapng(let format) = format { format.unsupportedCount } else { 0 }
    }

    private enum Format: Sendable {
        case unknown
        case snoop(SnoopFormat)
        case pcap(PcapFormat)
        case pcapng(PcapngFormat)
        case packetLogger(PacketLoggerFormat)
    }

    /// A packet is shorter than this. A longer record is malformed, so that it must not be stored.
    static let longestRecord = 1 << 18

    package init() {}

    package mutating func append(_ chunk: [UInt8]) {
        hasBytes = hasBytes || !chunk.isEmpty
        buffer.append(chunk)
    }

    /// Returns the next packet; nil if another chunk is needed.
    ///
    /// Throws if the capture cannot be read further, and after that returns nil.
    package mutating func next() throws(CaptureError) -> CapturePacket? {
        guard !hasFailed else { return nil }
        do throws(CaptureError) {
            while true {
                switch try step() {
                case .needsMore: return nil
                case .nothing: continue
                case .packet(let packet): return packet
                }
            }
        } catch {
            hasFailed = true
            throw error
        }
    }

    /// Checks that the capture does not end within a record.
    package mutating func finish() throws(CaptureError) {
        guard !hasFailed else { return }
        guard hasBytes else { throw .empty }
        switch format {
        case .unknown: throw .unknownFormat
        case .pcapng(let format):
            if let type = format.onlyUnsupportedType { throw .unsupportedLinkType(type, isSnoop: false) }
        case .snoop, .pcap, .packetLogger: break
        }
        guard buffer.isEmpty else { throw .truncated(afterPacket: packetCount) }
    }

    /// The result of reading one record.
    enum Step: Sendable {
        case needsMore
        /// The record contains no packet.
        case nothing
        case packet(CapturePacket)
    }

    private mutating func step() throws(CaptureError) -> Step {
        switch format {
        case .unknown: return try detect()
        case .snoop(let format): return try format.step(&buffer, &packetCount)
        case .pcap(let format): return try format.step(&buffer, &packetCount)
        case .packetLogger(let format): return try format.step(&buffer, &packetCount)
        case .pcapng(var format):
            // Takes the value out of the case, so that its change does not copy its list of interfaces.
            self.format = .unknown
            defer { self.format = .pcapng(format) }
            return try format.step(&buffer, &packetCount)
        }
    }

    private mutating func detect() throws(CaptureError) -> Step {
        guard let start = buffer.peek(4) else { return .needsMore }
        var cursor = ByteCursor(start)
        let magic = cursor.uint32(.big) ?? 0
        if magic == PcapngFormat.sectionHeader {
            format = .pcapng(PcapngFormat())
            return .nothing
        }
        if magic == SnoopFormat.magic {
            guard let header = buffer.take(SnoopFormat.headerLength) else { return .needsMore }
            format = .snoop(try SnoopFormat(header))
            return .nothing
        }
        guard PcapFormat.isMagic(magic) else { return try detectPacketLogger() }
        guard let header = buffer.take(PcapFormat.headerLength) else { return .needsMore }
        format = .pcap(try PcapFormat(header))
        return .nothing
    }

    private mutating func detectPacketLogger() throws(CaptureError) -> Step {
        guard let start = buffer.peek(PacketLoggerFormat.recordHeaderLength) else { return .needsMore }
        guard let found = PacketLoggerFormat(start) else { throw .unknownFormat }
        format = .packetLogger(found)
        return .nothing
    }
}
