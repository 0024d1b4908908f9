package import BluetoothValues
package import FoundationEssentials
import Rx
package import RxBluetooth

/// The way of advertisements to messages: decoder, filter, presence, and the policy of publishing.
///
/// Devices that are not published cost the lookup of their format, and leave no state.
package final class ReadingPipeline {
    /// Receives readings to publish.
    package var onReading: ((ReadingMessage) -> Void)?
    /// Receives changes of presence to publish.
    package var onPresence: ((PresenceMessage, PresenceMonitor.Change.Kind) -> Void)?
    /// Receives a device of the configuration with packets that cannot be used, or that restarted, and what to do.
    var onKeyProblem: ((MessageDevice, String) -> Void)?

    private let loop: GatewayLoop
    private let matcher: DeviceMatcher
    private let configuredNames: [BluetoothAddress: String]
    // One decoder for all adapters, so that a packet that two of them receive counts once.
    private var decoder: SensorDecoder
    private var keyCheck: KeyCheck
    private var limiter: ReadingLimiter<ReadingMessage>
    private var presence: PresenceMonitor
    /// The names of the devices in range.
    private var names: [BluetoothAddress: String] = [:]
    private var timer: (time: Duration, task: any Disposable)?
    /// The numbers of advertisements that were published, or could not be decoded.
    private(set) var counts = Counts()

    /// What happened to advertisements.
    struct Counts {
        var published = 0
        var refused = 0
        /// Plain values of devices with a key.
        var downgraded = 0
        var messages = 0
    }

    package init(
        _ configuration: GatewayConfiguration, keys: KeyStore, formats: [any AdvertisementFormat.Type] = [],
        loop: GatewayLoop
    ) {
        self.loop = loop
        matcher = DeviceMatcher(configuration)
        decoder = SensorDecoder(keys: keys, formats: formats)
        keyCheck = KeyCheck(configuration.devices.map(\.address).filter(matcher.matches))
        limiter = ReadingLimiter(configuration.publishing)
        presence = PresenceMonitor(configuration.publishing)
        configuredNames = Dictionary(
            configuration.devices.compactMap { device in device.name.map { (device.address, $0) } }
        ) { first, _ in first }
    }

    deinit { timer?.task.dispose() }

    /// The number of devices in range.
    var deviceCount: Int { presence.count }
    /// The number of readings that did not change enough.
    var suppressed: Int { limiter.suppressed }
    /// The number of measured values that their sensors cannot have measured.
    var impossibleValues: Int { decoder.impossibleValueCount }
    /// The number of devices that were forgotten because there were too many.
    var evicted: Int { limiter.evicted + presence.evicted }

    /// The counters of encrypted packets, for the next process.
    var encryptedCounters: [EncryptedCounter] { decoder.encryptedCounters }

    /// Continues with the counters of an earlier process, so that recorded packets are refused.
    func restore(_ counters: [EncryptedCounter]) { decoder.restore(counters) }

    /// Returns the device with its name.
    func device(_ address: BluetoothAddress) -> MessageDevice {
        MessageDevice(address: address, name: configuredNames[address] ?? names[address])
    }

    /// Returns the address by which a device is published: its identity if a key of the configuration resolves it.
    func identity(of peripheral: Peripheral) -> BluetoothAddress {
        // Public addresses may begin with the bits of a private one.
        guard peripheral.addressKind != .public else { return peripheral.address }
        return BluetoothAddress(decoder.identity(of: SenderAddress(peripheral.address)).number)
    }

    /// Handles an advertisement of the device with this identity. Returns whether the device is published.
    func receive(_ scanned: ScannedPeripheral, of address: BluetoothAddress) -> Bool {
        let data = scanned.advertisementData
        return receive(
            data.sections, from: scanned.peripheral.address, of: address, name: data.localName, rssi: scanned.rssi,
            time: scanned.timestamp)
    }

    /// Handles the sections of an advertisement. Returns whether the device is published.
    ///
    /// - Parameters:
    ///   - sender: The address in the packet. Formats that encrypt need it.
    ///   - address: The identity of the device.
    ///   - time: The wall time of the reception.
    package func receive(
        _ sections: [AdvertisedSection], from sender: BluetoothAddress, of address: BluetoothAddress, name: String?,
        rssi: Int?, time: Date
    ) -> Bool {
        let readings = decode(sections, from: sender, of: address, name: name)
        guard matcher.matches(address, rssi: rssi, hasReading: !readings.isEmpty) else { return false }
        let now = loop.monotonicTime
        if let name, configuredNames[address] == nil, names[address] != name, names.count < 10_000 {
            names[address] = name
        }
        publish(presence.hear(address, rssi: rssi, at: now))
        for reading in readings {
            let messages = limiter.add(
                ReadingMessage(device: device(address), rssi: rssi, reading: reading, time: time), reading,
                from: address, at: now)
            for message in messages { publish(message) }
        }
        counts.published += 1
        arm()
        return true
    }

    /// Records that a link to a device of the configuration was made or has ended.
    func setLinked(_ isLinked: Bool, _ address: BluetoothAddress) {
        guard matcher.matches(address) else { return }
        publish(presence.setLinked(isLinked, address, at: loop.monotonicTime))
        arm()
    }

    /// Records a value that arrived over a link.
    func receivedValue(of address: BluetoothAddress) {
        guard matcher.matches(address) else { return }
        publish(presence.hear(address, rssi: nil, at: loop.monotonicTime))
        arm()
    }

    /// Publishes the readings that wait for the end of an interval.
    func flush() {
        timer?.task.dispose()
        timer = nil
        for message in limiter.flush(at: loop.monotonicTime) { publish(message) }
    }

    /// Decodes the sections with values. Phones and trackers have none.
    private func decode(
        _ sections: [AdvertisedSection], from sender: BluetoothAddress, of address: BluetoothAddress, name: String?
    ) -> [SensorReading] {
        var readings: [SensorReading] = []
        for section in sections {
            let sender = SenderAddress(sender)
            switch decoder.decode(section, from: sender, name: name, among: sections, at: loop.monotonicTime) {
            case .unknown: continue
            case .reading(let reading):
                if reading.isEncrypted { keyCheck.succeeded(address) }
                if let last = reading.restartedAfter {
                    onKeyProblem?(device(address), "it counts its packets again after number \(last), and is accepted")
                }
                if !reading.format.isRecognisedOnly { readings.append(reading) }
            case .failure(let failure):
                if failure.reason == .downgraded { counts.downgraded += 1 } else { counts.refused += 1 }
                if let text = keyCheck.failed(failure.reason, address) { onKeyProblem?(device(address), text) }
            }
        }
        return readings
    }

    private func publish(_ message: ReadingMessage) {
        counts.messages += 1
        onReading?(message)
    }

    private func publish(_ changes: [PresenceMonitor.Change]) {
        guard !changes.isEmpty else { return }
        let (time, now) = (loop.scheduler.now, loop.monotonicTime)
        for change in changes {
            let age = (now - change.lastHeard) / .seconds(1)
            let message = PresenceMessage(
                device: device(change.address), isPresent: change.kind != .lost, rssi: change.rssi,
                lastSeen: time.addingTimeInterval(-age), time: time)
            if change.kind == .lost { names[change.address] = nil }
            onPresence?(message, change.kind)
        }
    }

    /// Sets the timer for waiting readings and lost devices. A later deadline than that of the timer needs no new one.
    private func arm() {
        var deadline = presence.nextDeadline
        if let waiting = limiter.nextDeadline { deadline = min(waiting, deadline ?? waiting) }
        guard let deadline, timer.map({ deadline < $0.time }) ?? true else { return }
        timer?.task.dispose()
        let bound = loop.bound(WeakReference(self))
        // Readings of many devices wait until different times. Their messages are stored in batches anyway.
        let delay = max(.milliseconds(100), deadline - loop.monotonicTime)
        timer = (deadline, loop.schedule(after: delay) { bound.value.object?.timerFired() })
    }

    private func timerFired() {
        timer = nil
        let now = loop.monotonicTime
        for message in limiter.due(at: now) { publish(message) }
        publish(presence.expire(at: now))
        arm()
    }
}
