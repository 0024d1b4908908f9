import DBus

/// The manufacturer data or service data of a device, by key.
final class AdvertisedData<Key: Hashable> {
    private var entries: [(key: Key, data: [UInt8])] = []
    private let signature: String
    private let wire: (Key) -> Value
    /// The D-Bus value, cached because most packets repeat the same data.
    private var property: Value?

    init(key signature: String, _ wire: @escaping (Key) -> Value) {
        self.signature = signature
        self.wire = wire
    }

    /// The property's value; nil if there is no data.
    var value: Value? {
        guard !entries.isEmpty else { return nil }
        if let property { return property }
        let made = Value.dictionary(
            key: signature, value: "v",
            entries.map { Value.Entry(wire($0.key), .variant(.bytes($0.data))) })
        property = made
        return made
    }

    /// Adds the data of a packet. Returns whether a signal must be sent.
    ///
    /// With `clearing`, only the keys of this packet remain, and each packet with data requires a signal.
    /// Without `clearing`, keys of earlier packets remain (Q48), and only changed data requires a signal.
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
