/// Joins the fragments of L2CAP frames on the links of one controller.
///
/// Source: Core Specification 5.4, Vol 3, Part A, 3.1 and 7.2. A frame has at most 65,535 bytes, and there are at most
/// 4,096 links, so the memory is bounded.
struct L2CAPReassembler: Sendable {
    private var pending: [Way: [UInt8]] = [:]

    private struct Way: Hashable {
        let handle: UInt16
        let direction: CapturePacket.Direction?
    }

    /// The channel and the payload of a complete frame.
    struct Frame: Sendable {
        let channel: UInt16
        let payload: ArraySlice<UInt8>
    }

    /// Adds a fragment. Returns the frame that it completes; nil if more fragments follow or the start is missing.
    mutating func add(
        _ data: ArraySlice<UInt8>, isStart: Bool, handle: UInt16, _ direction: CapturePacket.Direction?
    ) -> Frame? {
        let way = Way(handle: handle, direction: direction)
        var frame: [UInt8]
        if isStart {
            pending[way] = nil
            frame = Array(data)
        } else {
            guard let first = pending.removeValue(forKey: way) else { return nil }
            frame = first + data
        }
        var cursor = ByteCursor(frame)
        guard let length = cursor.uint16(), let channel = cursor.uint16() else {
            // The header itself may be divided.
            if !frame.isEmpty { pending[way] = frame }
            return nil
        }
        guard let payload = cursor.take(Int(length)) else {
            pending[way] = frame
            return nil
        }
        return Frame(channel: channel, payload: payload)
    }

    /// Drops the fragments of a link that is closed.
    mutating func close(_ handle: UInt16) {
        pending[Way(handle: handle, direction: .sentByHost)] = nil
        pending[Way(handle: handle, direction: .receivedByHost)] = nil
        pending[Way(handle: handle, direction: nil)] = nil
    }
}
