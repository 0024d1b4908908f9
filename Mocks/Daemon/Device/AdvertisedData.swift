import DBus

/// Manufacturer data or service data of a device: what its advertisements brought, by key.
final class AdvertisedData<Key: Hashable> {
    private var entries: [(key: Key, data: [UInt8])] = []
    private let signature: String
    private let wire: (Key) -> Value
    /// The property as it goes over the wire, kept so that a packet that brings the same again costs nothing.
    private var property: Value?

    init(key signature: String, _ wire: @escaping (Key) -> Value) {
        self.signature = signature
        self.wire = wire
    }

    /// Nil where there is none: the property is absent then.
    var value: Value? {
        guard !entries.isEmpty else { return nil }
        if let property { return property }
        let made = Value.dictionary(
            key: signature, value: "v",
            entries.map { Value.Entry(wire($0.key), .variant(.bytes($0.data))) })
        property = made
        return made
    }

    /// Takes a packet's data in. Without `clearing` keys of earlier packets stay (Q48). True where anything is new.
    func take(_ packet: [(key: Key, data: [UInt8])], clearing: Bool) -> Bool {
        guard !packet.isEmpty else { return false }
        if clearing, entries.elementsEqual(packet, by: ==) { return true }
        var isNew = clearing
        if clearing { entries = [] }
        for (key, data) in packet {
            if let index = entries.firstIndex(where: { $0.key == key }) {
                if entries[index].data == data { continue }
                entries[index].data = data
            } else {
                entries.append((key, data))
            }
            isNew = true
        }
        if isNew { property = nil }
        return isNew
    }
}
