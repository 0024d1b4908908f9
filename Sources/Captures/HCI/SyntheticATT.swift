/// Makes the packets of the Attribute Protocol for what a program read, wrote and received.
package struct SyntheticATT: Sendable {
    /// The largest packet of the link.
    package var mtu: Int

    package init(mtu: Int) { self.mtu = max(23, mtu) }

    /// Returns the packets for a value that was read. Long values need several requests.
    package func read(_ handle: UInt16, _ value: [UInt8]) -> [ATTPacket] {
        let length = mtu - 1
        var packets = [
            ATTPacket(.readRequest, handle: handle), ATTPacket(.readResponse, Array(value.prefix(length))),
        ]
        var offset = length
        // A full packet may be a part of a longer value, so the client requests the rest, which may be empty.
        while offset <= value.count {
            var position: [UInt8] = []
            position.append(number: UInt16(offset))
            packets.append(ATTPacket(.readBlobRequest, handle: handle, position))
            packets.append(ATTPacket(.readBlobResponse, Array(value.dropFirst(offset).prefix(length))))
            offset += length
        }
        return packets
    }

    /// Returns the packets for a read that failed.
    ///
    /// - Parameter error: The error code of ATT; nil if the device did not respond.
    package func read(_ handle: UInt16, failing error: UInt8?) -> [ATTPacket] {
        [ATTPacket(.readRequest, handle: handle)] + failure(of: .readRequest, handle, error)
    }

    /// Returns the packets for a write with response.
    package func write(_ handle: UInt16, _ value: [UInt8], failing error: UInt8? = nil, isAnswered: Bool = true)
        -> [ATTPacket]
    {
        guard value.count > mtu - 3 else {
            let request = ATTPacket(.writeRequest, handle: handle, value)
            guard isAnswered else { return [request] }
            return [request] + (error.map { failure(of: .writeRequest, handle, $0) } ?? [ATTPacket(.writeResponse)])
        }
        var packets: [ATTPacket] = []
        for offset in stride(from: 0, to: value.count, by: mtu - 5) {
            var part: [UInt8] = []
            part.append(number: UInt16(truncatingIfNeeded: offset))
            part += value[offset..<min(offset + mtu - 5, value.count)]
            packets.append(ATTPacket(.prepareWriteRequest, handle: handle, part))
            packets.append(ATTPacket(.prepareWriteResponse, handle: handle, part))
        }
        packets.append(ATTPacket(.executeWriteRequest, [1]))
        guard isAnswered else { return packets }
        return packets
            + (error.map { failure(of: .executeWriteRequest, handle, $0) } ?? [ATTPacket(.executeWriteResponse)])
    }

    package func command(_ handle: UInt16, _ value: [UInt8]) -> [ATTPacket] {
        [ATTPacket(.writeCommand, handle: handle, value)]
    }

    /// Returns the packets for a value that the device sent, which the client confirms if it is an indication.
    ///
    /// The value is complete, also if it does not fit the MTU: bluetoothd may not report the MTU of the link.
    package func notified(_ handle: UInt16, _ value: [UInt8], isIndication: Bool) -> [ATTPacket] {
        guard isIndication else { return [ATTPacket(.notification, handle: handle, value)] }
        return [ATTPacket(.indication, handle: handle, value), ATTPacket(.confirmation)]
    }

    /// Returns the packets for an exchange of the MTU; none if the MTU is the default.
    package func exchangeMTU() -> [ATTPacket] {
        guard mtu > 23 else { return [] }
        return [
            ATTPacket(.exchangeMTURequest, handle: 517), ATTPacket(.exchangeMTUResponse, handle: UInt16(clamping: mtu)),
        ]
    }

    func failure(of code: ATTCode, _ handle: UInt16, _ error: UInt8?) -> [ATTPacket] {
        guard let error else { return [] }
        return [ATTPacket(.errorResponse, [code.rawValue, UInt8(handle & 0xFF), UInt8(handle >> 8), error])]
    }
}
