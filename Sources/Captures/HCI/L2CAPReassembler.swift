/// Joins the fragments of L2CAP frames. The memory of frames that are never completed is bounded.
///
/// Source: Core Specification 5.4, Vol 3, Part A, 3.1 and 7.2. A frame has at most 65,535 bytes.
struct L2CAPReassembler: Sendable {
    private var pending: [Way: Pending] = [:]
    /// The size of all pending frames with their entries.
    private(set) var pendingSize = 0
    private var startCount = 0

    /// The limit of ``pendingSize``. If it is exceeded, the oldest half of the frames is dropped.
    static let longestPending = 1 << 21

    private struct Way: Hashable {
        let link: LinkKey
        let direction: CapturePacket.Direction?
    }

    private struct Pending: Sendable {
        var bytes: [UInt8]
        /// The number of frames that began before this one.
        let number: Int

        /// The size with an estimate of the entry in the table.
        var size: Int { bytes.count + 128 }
    }

    /// The channel and the payload of a complete frame.
    struct Frame: Sendable {
        let channel: UInt16
        let payload: ArraySlice<UInt8>
    }

    /// Adds a fragment. Returns the frame that it completes; nil if more fragments follow or the start is missing.
    mutating func add(
        _ data: ArraySlice<UInt8>, isStart: Bool, on link: LinkKey, _ direction: CapturePacket.Direction?
    ) -> Frame? {
        let way = Way(link: link, direction: direction)
        var started = remove(way)
        if isStart {
            startCount += 1
            started = Pending(bytes: [], number: startCount)
        }
        guard var frame = started.take() else { return nil }
        frame.bytes += data
        var cursor = ByteCursor(frame.bytes)
        // The header itself may be divided.
        guard let length = cursor.uint16(), let channel = cursor.uint16(), let payload = cursor.take(Int(length)) else {
            if !frame.bytes.isEmpty { store(frame, way) }
            return nil
        }
        return Frame(channel: channel, payload: payload)
    }

    /// Drops the fragments of a link that is closed.
    mutating func close(_ link: LinkKey) {
        for direction in [CapturePacket.Direction.sentByHost, .receivedByHost, nil] {
            remove(Way(link: link, direction: direction))
        }
    }

    @discardableResult
    private mutating func remove(_ way: Way) -> Pending? {
        guard let frame = pending.removeValue(forKey: way) else { return nil }
        pendingSize -= frame.size
        return frame
    }

    private mutating func store(_ frame: Pending, _ way: Way) {
        pending[way] = frame
        pendingSize += frame.size
        guard pendingSize > Self.longestPending else { return }
        for (way, _) in pending.sorted(by: { $0.value.number < $1.value.number }) {
            guard pendingSize > Self.longestPending / 2 else { return }
            remove(way)
        }
    }
}

/// A link of a capture. Controllers number their links independently.
struct LinkKey: Hashable, Sendable {
    let controller: UInt32
    let handle: UInt16

    init(_ packet: CapturePacket, _ handle: UInt16) {
        controller = packet.controller
        self.handle = handle
    }
}
