import DBus

/// One monitor of a client: its patterns and RSSI thresholds. Source: BlueZ 5.66, src/adv_monitor.c.
final class AdvertisementMonitor {
    let path: ObjectPath
    private let client: String
    private let loop: DaemonLoop
    private let patterns: [AdvertisementPattern]
    private let limits: Limits?
    private var isActive = false
    private var devices: [ObjectPath: Sighting] = [:]

    private struct Limits {
        var high: Int16?
        var low: Int16?
        /// How long the RSSI must stay above `high` or below `low`, in seconds.
        var highTimeout: UInt16?
        var lowTimeout: UInt16?
        var isSet: Bool { high != nil || low != nil || highTimeout != nil || lowTimeout != nil }
        var isValid: Bool {
            let low = low ?? -127
            let high = high ?? low
            return (-127...20).contains(low) && (-127...20).contains(high) && high >= low
                && (1...300).contains(highTimeout ?? 10) && (1...300).contains(lowTimeout ?? 5)
        }
    }

    /// The state of one device with regard to the monitor's RSSI thresholds.
    private final class Sighting {
        var isFound = false
        var near: BusTask?
        var far: BusTask?
        var lost: BusTask?
        var isNearFor = false
        var isFarFor = false

        func end() {
            for task in [near, far, lost] { task?.cancel() }
        }
    }

    /// Returns nil if bluetoothd would reject the properties (Q67).
    init?(_ path: ObjectPath, of client: String, _ properties: [Value.Entry], _ loop: DaemonLoop) {
        var patterns: [AdvertisementPattern]?
        var limits = Limits()
        var isTyped = false
        for entry in properties {
            guard case .string(let name) = entry.key, case .variant(let value) = entry.value else { return nil }
            switch (name, value) {
            case ("Type", .string("or_patterns")): isTyped = true
            case ("Patterns", .array(_, let all)):
                let read = all.compactMap(AdvertisementPattern.init)
                guard read.count == all.count, !read.isEmpty else { return nil }
                patterns = read
            case ("RSSIHighThreshold", .int16(let number)): limits.high = number
            case ("RSSILowThreshold", .int16(let number)): limits.low = number
            case ("RSSIHighTimeout", .uint16(let number)): limits.highTimeout = number
            case ("RSSILowTimeout", .uint16(let number)): limits.lowTimeout = number
            case ("RSSISamplingPeriod", .uint16(let number)) where number <= 255: break
            case ("Type", _), ("Patterns", _), ("RSSIHighThreshold", _), ("RSSILowThreshold", _),
                ("RSSIHighTimeout", _), ("RSSILowTimeout", _), ("RSSISamplingPeriod", _):
                return nil
            default: break
            }
        }
        guard isTyped, let patterns, limits.isValid else { return nil }
        self.path = path
        self.client = client
        self.loop = loop
        self.patterns = patterns
        self.limits = limits.isSet ? limits : nil
    }

    func activate() {
        isActive = true
        callMonitor("Activate")
    }

    func callMonitor(_ method: String, _ device: ObjectPath? = nil) {
        loop.callWithoutReply(
            client, path, ("org.bluez.AdvertisementMonitor1", method), device.map { [.objectPath($0)] } ?? [])
    }

    func end() {
        isActive = false
        for sighting in devices.values { sighting.end() }
        devices = [:]
    }

    func forget(_ device: ObjectPath) { devices.removeValue(forKey: device)?.end() }

    func matches(_ fields: [AdvertisementPattern.Field]) -> Bool {
        isActive && patterns.contains { pattern in fields.contains { pattern.matches($0) } }
    }

    /// Handles a matching packet. Without thresholds, each packet causes a call of `DeviceFound`.
    func markSeen(_ device: ObjectPath, rssi: Int16) {
        guard let limits else { return callMonitor("DeviceFound", device) }
        let sighting = devices[device] ?? Sighting()
        devices[device] = sighting
        let low = limits.low ?? -127
        if !sighting.isFound, rssi > limits.high ?? low {
            if sighting.isNearFor {
                sighting.isFound = true
                sighting.isNearFor = false
                callMonitor("DeviceFound", device)
            } else if sighting.near == nil {
                sighting.near = after(limits.highTimeout ?? 10) { [weak sighting] in sighting?.isNearFor = true }
            }
        } else {
            sighting.near?.cancel()
            sighting.near = nil
            sighting.isNearFor = false
        }
        if sighting.isFound, rssi < low {
            if sighting.isFarFor {
                sighting.isFound = false
                sighting.isFarFor = false
                callMonitor("DeviceLost", device)
            } else if sighting.far == nil {
                sighting.far = after(limits.lowTimeout ?? 5) { [weak sighting] in sighting?.isFarFor = true }
            }
        } else {
            sighting.far?.cancel()
            sighting.far = nil
            sighting.isFarFor = false
        }
        sighting.lost?.cancel()
        guard sighting.isFound else { return }
        sighting.lost = after(limits.lowTimeout ?? 5) { [weak self, weak sighting] in
            sighting?.isFound = false
            self?.callMonitor("DeviceLost", device)
        }
    }

    private func after(_ seconds: UInt16, _ work: @escaping () -> Void) -> BusTask {
        loop.after(.seconds(Int(seconds)), work)
    }
}
