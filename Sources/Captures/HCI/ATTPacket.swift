/// The operation codes of the Attribute Protocol.
///
/// Source: Core Specification 5.4, Vol 3, Part F, 3.4.8.
package enum ATTCode: UInt8, Sendable {
    case errorResponse = 0x01
    case exchangeMTURequest = 0x02
    case exchangeMTUResponse = 0x03
    case findInformationRequest = 0x04
    case findInformationResponse = 0x05
    case findByTypeValueRequest = 0x06
    case findByTypeValueResponse = 0x07
    case readByTypeRequest = 0x08
    case readByTypeResponse = 0x09
    case readRequest = 0x0A
    case readResponse = 0x0B
    case readBlobRequest = 0x0C
    case readBlobResponse = 0x0D
    case readMultipleRequest = 0x0E
    case readMultipleResponse = 0x0F
    case readByGroupTypeRequest = 0x10
    case readByGroupTypeResponse = 0x11
    case writeRequest = 0x12
    case writeResponse = 0x13
    case prepareWriteRequest = 0x16
    case prepareWriteResponse = 0x17
    case executeWriteRequest = 0x18
    case executeWriteResponse = 0x19
    case notification = 0x1B
    case indication = 0x1D
    case confirmation = 0x1E
    case readMultipleVariableRequest = 0x20
    case readMultipleVariableResponse = 0x21
    case multipleNotification = 0x23
    case writeCommand = 0x52
    case signedWriteCommand = 0xD2

    /// Whether a client sends packets with this code.
    var isOfClient: Bool {
        switch self {
        case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest, .readRequest,
            .readBlobRequest, .readMultipleRequest, .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest,
            .executeWriteRequest, .confirmation, .readMultipleVariableRequest, .writeCommand, .signedWriteCommand:
            true
        case .errorResponse, .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse,
            .readByTypeResponse, .readResponse, .readBlobResponse, .readMultipleResponse, .readByGroupTypeResponse,
            .writeResponse, .prepareWriteResponse, .executeWriteResponse, .notification, .indication,
            .readMultipleVariableResponse, .multipleNotification:
            false
        }
    }
}

/// A packet of the Attribute Protocol: its operation code and its parameters.
package struct ATTPacket: Hashable, Sendable {
    package var code: ATTCode
    package var parameters: [UInt8]

    package init(_ code: ATTCode, _ parameters: [UInt8] = []) {
        self.code = code
        self.parameters = parameters
    }

    /// Makes a packet with a handle and a value as its parameters.
    package init(_ code: ATTCode, handle: UInt16, _ value: [UInt8] = []) {
        var parameters: [UInt8] = []
        parameters.append(number: handle)
        self.init(code, parameters + value)
    }

    /// Reads a packet; nil if it is empty or its operation code is unknown.
    init?(_ payload: ArraySlice<UInt8>) {
        guard let code = payload.first.flatMap(ATTCode.init) else { return nil }
        self.init(code, Array(payload.dropFirst()))
    }

    /// Whether a client sends the packet: a request, a command or a confirmation.
    package var isOfClient: Bool { code.isOfClient }

    package var bytes: [UInt8] { [code.rawValue] + parameters }
}
