/// The broker's answer to a request to connect, with its limits.
struct ConnectionAnswer: Equatable {
    /// 0 if the broker accepts the connection.
    let reason: UInt8
    /// Whether ``reason`` is a code of MQTT 3.1.1, which an older broker also sends to MQTT 5.
    let isVersion3: Bool
    let isSessionPresent: Bool
    /// The most messages that may wait for their acknowledgements.
    let receiveMaximum: Int
    /// The largest packet that the broker accepts; nil for no limit.
    let maximumPacketSize: Int?
    let maximumQoS: UInt8
    let isRetainAvailable: Bool
    /// The keep-alive interval of the broker, which replaces that of the gateway; zero for none.
    let keepAlive: Duration?
    let assignedIdentifier: String?

    init(_ reader: inout PacketReader, _ version: BrokerSettings.Version) throws(MQTTViolation) {
        let flags = try reader.byte()
        reason = try reader.byte()
        isSessionPresent = flags == 1
        isVersion3 = version == .v311 || (reader.isAtEnd && (1...5).contains(reason))
        guard flags <= 1 else { throw .malformed("CONNACK has unknown flags") }
        guard isVersion3 ? reason <= 5 : (reason == 0 || reason >= 0x80) else {
            throw .protocolError("CONNACK has the reason \(reason)")
        }
        guard reason == 0 || flags == 0 else { throw .protocolError("CONNACK refuses, and has a session") }
        let properties = isVersion3 ? nil : try ReceivedProperties(&reader, of: .connack)
        let numbers = properties?.numbers ?? [:]
        receiveMaximum = numbers[.receiveMaximum].map { Int($0) } ?? Int(UInt16.max)
        maximumPacketSize = numbers[.maximumPacketSize].map { Int($0) }
        maximumQoS = numbers[.maximumQoS].map { UInt8($0) } ?? 2
        isRetainAvailable = numbers[.retainAvailable] != 0
        keepAlive = numbers[.serverKeepAlive].map { .seconds(Int($0)) }
        assignedIdentifier = properties?.assignedIdentifier
    }
}
