import BluetoothValues

/// The counters of encrypted packets of keys that the configuration does not contain at the moment.
///
/// A key may come back with a later configuration. Without its counter, recorded packets would be accepted then.
struct UnusedCounters {
    /// Counters above this number are forgotten, the oldest first.
    private static let limit = 1024

    /// At most one for each device, format and key. The newest are the last.
    private var counters: [EncryptedCounter] = []

    /// Adds the counter of a key that is not in use any more.
    mutating func add(_ counter: EncryptedCounter) {
        counters.removeAll {
            ($0.address, $0.format, $0.keyCheck) == (counter.address, counter.format, counter.keyCheck)
        }
        counters.append(counter)
        if counters.count > Self.limit { counters.removeFirst() }
    }

    /// Removes and returns the counters of keys that are in use now.
    mutating func take(for keys: KeyStore) -> [EncryptedCounter] {
        let used = counters.filter { $0.matches(keys[$0.address]) }
        counters.removeAll { $0.matches(keys[$0.address]) }
        return used
    }

    /// Returns the newest counter of each device and format that others do not contain. A store keeps one of each.
    func missing(in others: [EncryptedCounter]) -> [EncryptedCounter] {
        var known = Set(others.map { Place($0) })
        return counters.reversed().filter { known.insert(Place($0)).inserted }
    }

    /// The place of a counter in a store.
    private struct Place: Hashable {
        let address: SenderAddress
        let format: SensorFormat

        init(_ counter: EncryptedCounter) {
            address = counter.address
            format = counter.format
        }
    }
}
