/// The packets of the Attribute Protocol of one link, from which it reconstructs the server of the device.
///
/// A response does not repeat its request, so the conversation holds the request that has no response yet. ATT permits
/// one at a time.
struct ATTConversation: Sendable {
    private var request: ATTPacket?
    private var preparedWrites: [(handle: UInt16, offset: Int, part: [UInt8])] = []
    private var clientMTU: UInt16 = 23

    /// The most queued parts of long writes. A longer queue is probably damaged.
    private static let mostParts = 256

    /// Reads a packet that the host sent or received. Returns false if it is malformed.
    mutating func add(
        _ payload: ArraySlice<UInt8>, _ direction: CapturePacket.Direction?, at time: Int64,
        to server: inout CapturedServer
    ) -> Bool {
        guard let packet = ATTPacket(payload) else { return false }
        let isSent = direction.map { $0 == .sentByHost } ?? packet.code.isOfClient
        // The host's own server is not part of the device: its requests are received, its responses sent.
        guard isSent == packet.code.isOfClient else { return true }
        return isSent
            ? addRequest(packet, to: &server) : addResponse(packet, at: time, to: &server)
    }

    private mutating func addRequest(_ packet: ATTPacket, to server: inout CapturedServer) -> Bool {
        var body = ByteCursor(packet.parameters)
        switch packet.code {
        case .confirmation: break
        case .writeCommand:
            guard let handle = body.uint16() else { return false }
            server.setValue(body.takeRest(), of: handle)
        case .signedWriteCommand:
            // The last 12 bytes are the signature.
            guard let handle = body.uint16(), body.count >= 12 else { return false }
            server.setValue(body.takeRest().dropLast(12), of: handle)
        case .exchangeMTURequest:
            guard let mtu = body.uint16() else { return false }
            clientMTU = mtu
            request = packet
        default: request = packet
        }
        return true
    }

    private mutating func addResponse(
        _ packet: ATTPacket, at time: Int64, to server: inout CapturedServer
    ) -> Bool {
        var body = ByteCursor(packet.parameters)
        switch packet.code {
        case .notification, .indication:
            guard let handle = body.uint16() else { return false }
            server.addNotification(body.takeRest(), of: handle, at: time)
            return true
        case .multipleNotification:
            while let handle = body.uint16(), let length = body.uint16() {
                guard let value = body.take(Int(length)) else { return false }
                server.addNotification(value, of: handle, at: time)
            }
            return true
        default: break
        }
        let request = request
        self.request = nil
        switch packet.code {
        case .errorResponse:
            guard let code = body.uint8(), let handle = body.uint16(), let error = body.uint8() else { return false }
            if code == ATTCode.readRequest.rawValue { server.readErrors[handle] = error }
            if code == ATTCode.executeWriteRequest.rawValue { preparedWrites = [] }
            return true
        case .exchangeMTUResponse:
            guard let mtu = body.uint16() else { return false }
            server.mtu = max(23, min(mtu, clientMTU))
            return true
        case .prepareWriteResponse:
            guard let handle = body.uint16(), let offset = body.uint16() else { return false }
            if preparedWrites.count < Self.mostParts {
                preparedWrites.append((handle, Int(offset), Array(body.takeRest())))
            }
            return true
        default: break
        }
        // A capture may begin between a request and its response, which then has no meaning.
        guard let request else { return true }
        return addResponse(packet, to: request, &server)
    }

    private mutating func addResponse(
        _ packet: ATTPacket, to request: ATTPacket, _ server: inout CapturedServer
    ) -> Bool {
        var asked = ByteCursor(request.parameters)
        switch (packet.code, request.code) {
        case (.readResponse, .readRequest):
            guard let handle = asked.uint16() else { return false }
            server.setValue(packet.parameters, of: handle)
        case (.readBlobResponse, .readBlobRequest):
            guard let handle = asked.uint16(), let offset = asked.uint16() else { return false }
            server.setPart(packet.parameters[...], at: Int(offset), of: handle)
        case (.writeResponse, .writeRequest):
            guard let handle = asked.uint16() else { return false }
            server.setValue(asked.takeRest(), of: handle)
        case (.executeWriteResponse, .executeWriteRequest):
            if asked.uint8() == 1 {
                for (handle, offset, part) in preparedWrites { server.setPart(part[...], at: offset, of: handle) }
            }
            preparedWrites = []
        case (.readMultipleVariableResponse, .readMultipleVariableRequest):
            var body = ByteCursor(packet.parameters)
            while let handle = asked.uint16(), let length = body.uint16(), let value = body.take(Int(length)) {
                server.setValue(value, of: handle)
            }
        case (.readByGroupTypeResponse, .readByGroupTypeRequest), (.readByTypeResponse, .readByTypeRequest),
            (.findInformationResponse, .findInformationRequest), (.findByTypeValueResponse, .findByTypeValueRequest):
            return server.addDiscovery(packet, request)
        default: break
        }
        return true
    }
}
