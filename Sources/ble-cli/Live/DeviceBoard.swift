import FoundationEssentials
import RxBluetooth

/// The latest state of each device of a scan. Hearing an advertisement only updates a small record.
struct DeviceBoard: Sendable {
    private(set) var entries: [DeviceEntry] = []
    /// The number of received advertisements.
    private(set) var advertisements = 0
    private var places: [BluetoothAddress: Int] = [:]
    private let limit: Int
    private var discovered = 0

    /// Makes an empty board.
    ///
    /// - Parameter limit: The number of devices above which the devices that were silent for longest are removed.
    init(limit: Int = 10_000) { self.limit = max(1, limit) }

    /// Returns the record of a device; nil if there is none.
    subscript(address: BluetoothAddress) -> DeviceEntry? { places[address].map { entries[$0] } }

    /// Updates the record of the device that a scan result is from.
    mutating func hear(_ result: ScannedPeripheral) {
        if !result.isCached { advertisements += 1 }
        let address = result.peripheral.address
        if let place = places[address] {
            entries[place].hear(result)
            return
        }
        if entries.count >= limit { removeSilent() }
        discovered += 1
        places[address] = entries.count
        entries.append(DeviceEntry(result, number: discovered))
    }

    /// Removes an eighth of the devices, so that the search for them is rarely needed.
    private mutating func removeSilent() {
        let times = entries.map(\.lastHeard).sorted()
        let latestRemoved = times[times.count / 8]
        var left = times.count / 8 + 1
        entries.removeAll { entry in
            guard left > 0, entry.lastHeard <= latestRemoved else { return false }
            left -= 1
            return true
        }
        places = [:]
        for (place, entry) in entries.enumerated() { places[entry.address] = place }
    }

    /// Returns the devices in an order, limited to those that contain a text.
    ///
    /// - Parameter isSteady: Whether the order by RSSI uses the mean of several advertisements, so that rows that a
    ///   user reads do not change their places all the time.
    func list(_ sort: DeviceSort, containing text: String = "", isSteady: Bool = false) -> [BluetoothAddress] {
        let text = text.trimmed.lowercased()
        let shown = text.isEmpty ? entries : entries.filter { $0.contains(text) }
        return DeviceEntry.sorted(shown, by: sort, isSteady: isSteady).map(\.address)
    }

    /// Returns the RSSI by which devices are sorted, of those that have one.
    func strengths(of devices: [BluetoothAddress], isSteady: Bool) -> [BluetoothAddress: Int] {
        var strengths: [BluetoothAddress: Int] = [:]
        for address in devices { strengths[address] = self[address]?.strength(isSteady: isSteady) }
        return strengths
    }
}

/// The record of one device.
struct DeviceEntry: Sendable {
    /// The latest scan result.
    private(set) var latest: ScannedPeripheral
    /// The position in the order of discovery, from 1.
    let number: Int
    /// The number of received advertisements.
    private(set) var count = 0
    /// The time of the latest result in seconds.
    private(set) var lastHeard = 0.0
    private(set) var signal = SignalHistory()
    private var rhythm = AdvertisingRhythm()

    init(_ result: ScannedPeripheral, number: Int) {
        latest = result
        self.number = number
        hear(result)
    }

    var address: BluetoothAddress { latest.peripheral.address }

    mutating func hear(_ result: ScannedPeripheral) {
        latest = result
        lastHeard = result.timestamp.timeIntervalSinceReferenceDate
        guard !result.isCached else { return }
        count += 1
        rhythm.add(lastHeard)
        if let rssi = result.rssi { signal.add(rssi) }
    }

    /// Returns the seconds since the last advertisement; nil if none was received.
    func age(at now: Date) -> Double? {
        // A clock that was set back must not make the age negative.
        count == 0 ? nil : max(0, now.timeIntervalSinceReferenceDate - lastHeard)
    }

    /// Returns the advertisements a second; nil if fewer than two were received.
    func rate(at now: Date) -> Double? { rhythm.rate(at: now.timeIntervalSinceReferenceDate) }

    /// Returns whether the name, the user's alias, the address or a company contains a text in lower case.
    func contains(_ text: String) -> Bool {
        if latest.hasName(containing: text) { return true }
        if latest.peripheral.address.description.lowercased().contains(text) { return true }
        return latest.displayCompanies.lowercased().contains(text)
    }

    /// The RSSI that is shown and by which devices are sorted; nil if the latest result has none.
    ///
    /// - Parameter isSteady: Whether it is the mean of several advertisements.
    func strength(isSteady: Bool) -> Int? {
        guard let rssi = latest.rssi else { return nil }
        return isSteady ? signal.mean.map { Int($0.rounded()) } ?? rssi : rssi
    }

    /// Returns records in an order. The address decides between equal ones.
    static func sorted(_ entries: [DeviceEntry], by sort: DeviceSort, isSteady: Bool) -> [DeviceEntry] {
        switch sort {
        case .seen: return entries.sorted { $0.number < $1.number }
        case .address: return entries.sorted { $0.address < $1.address }
        case .rssi:
            let measured = entries.map { entry -> (key: Int, entry: DeviceEntry) in
                (entry.strength(isSteady: isSteady) ?? .min, entry)
            }
            return measured.sorted { left, right in
                left.key == right.key ? left.entry.address < right.entry.address : left.key > right.key
            }
            .map(\.entry)
        case .name:
            // Computes each name once, because a comparison would compute two.
            let named = entries.map { entry -> (key: String, entry: DeviceEntry) in
                (entry.latest.names.first?.lowercased() ?? "", entry)
            }
            return named.sorted {
                if $0.key.isEmpty != $1.key.isEmpty { return $1.key.isEmpty }
                return $0.key == $1.key ? $0.entry.address < $1.entry.address : $0.key < $1.key
            }
            .map(\.entry)
        }
    }
}

/// The RSSI of the latest advertisements of a device.
struct SignalHistory: Sendable {
    /// The number of kept values.
    static let capacity = 32

    private var values: [Int8] = []
    /// The place of the oldest value when the history is full.
    private var oldest = 0

    mutating func add(_ rssi: Int) {
        let value = Int8(clamping: rssi)
        if values.count < Self.capacity {
            values.append(value)
        } else {
            values[oldest] = value
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// The mean of the latest eight values; nil if there is none.
    var mean: Double? {
        let latest = all.suffix(8)
        return latest.isEmpty ? nil : Double(latest.reduce(0, +)) / Double(latest.count)
    }

    /// The values, the oldest first.
    var all: [Int] { (values[oldest...] + values[..<oldest]).map { Int($0) } }
}

/// The times of the latest advertisements of a device, from which their rate follows.
struct AdvertisingRhythm: Sendable {
    private static let capacity = 16

    private var times: [Double] = []
    private var oldest = 0

    mutating func add(_ time: Double) {
        if times.count < Self.capacity {
            times.append(time)
        } else {
            times[oldest] = time
            oldest = (oldest + 1) % Self.capacity
        }
    }

    /// Returns the advertisements a second; nil if there is no interval.
    ///
    /// While the device advertises, this is the inverse of the mean interval. When it is silent for longer than two
    /// intervals, the silence counts, so that the rate falls.
    func rate(at now: Double) -> Double? {
        guard times.count > 1 else { return nil }
        let first = times[oldest]
        let last = times[(oldest + times.count - 1) % times.count]
        let intervals = Double(times.count - 1)
        let mean = (last - first) / intervals
        guard mean > 0 else { return nil }
        return now - last <= 2 * mean ? 1 / mean : intervals / (now - first)
    }
}
