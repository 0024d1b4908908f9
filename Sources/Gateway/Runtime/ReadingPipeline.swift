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
    /// Receives a device that advertises a reserved name.
    var onNameRefused: ((MessageDevice, _ name: String) -> Void)?
    /// Receives what to report about the limits of devices.
    var onNotice: ((DeviceLimitNotice) -> Void)?
    /// Receives values that arrived over links, to publish.
    var onValue: ((GATTEvent) -> Void)?

    let loop: GatewayLoop
    /// The formats of the program around the gateway.
    private let formats: [any AdvertisementFormat.Type]
    var matcher: DeviceMatcher
    var keyCheck: KeyCheck
    let configured: DeviceFlow
    let others: DeviceFlow
    var budget: OtherDeviceBudget
    var readingBudget: DeviceBudget<ReadingMessage>
    /// The limit of values of links. They have one of their own, because they may be records.
    var valueBudget: DeviceBudget<GATTEvent>
    var names: DeviceNames
    /// The timer, and the time at which it fires.
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
        self.formats = formats
        matcher = DeviceMatcher(configuration)
        keyCheck = KeyCheck(configuration.devices.map(\.address).filter(matcher.matches))
        // One decoder for all adapters, so that a packet that two of them receive counts once.
        let decoder = SensorDecoder(keys: keys, formats: formats)
        configured = .configured(configuration, decoder)
        others = .others(configuration, decoder)
        budget = OtherDeviceBudget(configuration.otherDevices)
        readingBudget = Self.readingBudget(configuration.publishing)
        valueBudget = Self.valueBudget(configuration.publishing)
        names = DeviceNames(configuration)
    }

    deinit { timer?.task.dispose() }

    /// The number of devices in range.
    var deviceCount: Int { configured.presence.count + others.presence.count }
    /// The number of readings that did not change enough.
    var suppressed: Int { configured.limiter.suppressed + others.limiter.suppressed }
    /// The number of measured values that their sensors cannot have measured.
    var impossibleValues: Int { configured.decoder.impossibleValueCount + others.decoder.impossibleValueCount }
    /// The number of devices that were forgotten because there were too many.
    var evicted: Int { configured.evicted + others.evicted }
    /// The number of advertisements and of readings that exceeded the limits of other devices.
    var ignored: (advertisements: Int, readings: Int) { (budget.ignoredAdvertisements, budget.ignoredMessages) }
    /// How often a device advertised a name that is reserved.
    var refusedNames: Int { names.refusedCount }

    /// The counters of encrypted packets of configured devices.
    var encryptedCounters: [EncryptedCounter] { configured.decoder.encryptedCounters }

    /// The counters for the next process, also those of keys that a reload has removed.
    var countersToSave: [EncryptedCounter] { configured.countersToSave }

    /// Those that changed since they were saved.
    var changedCounters: [EncryptedCounter] { configured.decoder.changedCounters }

    /// Stores that counters were saved.
    func markSaved(_ counters: [EncryptedCounter]) { configured.decoder.markSaved(counters) }

    /// Continues with the counters of an earlier process, so that recorded packets are refused.
    func restore(_ counters: [EncryptedCounter]) { configured.restore(counters) }

    /// Returns the device with its name.
    func device(_ address: BluetoothAddress) -> MessageDevice {
        var device = MessageDevice(address: address, name: names[address])
        device.isConfigured = matcher.describes(address)
        return device
    }

    /// Returns the address by which a device is published: its identity if a key of the configuration resolves it.
    func identity(of peripheral: Peripheral) -> BluetoothAddress {
        // Public addresses may begin with the bits of a private one.
        guard peripheral.addressKind != .public else { return peripheral.address }
        return BluetoothAddress(configured.decoder.identity(of: SenderAddress(peripheral.address)).number)
    }

    /// Handles an advertisement of the device with this identity. Returns whether the device is published.
    func receive(_ scanned: ScannedPeripheral, of address: BluetoothAddress) -> Bool {
        let data = scanned.advertisementData
        return receive(
            data.sections(knowing: formats), from: scanned.peripheral.address, of: address, name: data.localName,
            rssi: scanned.rssi, time: scanned.timestamp)
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
        guard matcher.matches(address) else { return false }
        let now = loop.monotonicTime
        let isDescribed = matcher.describes(address)
        let flow = isDescribed ? configured : others
        let readings = decode(sections, from: sender, of: address, name: name, flow, at: now)
        guard matcher.allows(rssi: rssi, isUseful: isDescribed || !readings.isEmpty) else { return false }
        guard isDescribed || admitsOther(address, at: now) else { return false }
        if let name, names.learn(name, of: address) { onNameRefused?(device(address), name) }
        hear(address, rssi: rssi, at: now, isDescribed: isDescribed)
        for reading in readings {
            let messages = flow.limiter.add(
                ReadingMessage(device: device(address), rssi: rssi, reading: reading, time: time), reading,
                from: address, at: now)
            for message in messages { publish(message) }
        }
        counts.published += 1
        arm(at: now)
        return true
    }

    private func flow(of address: BluetoothAddress) -> DeviceFlow {
        matcher.describes(address) ? configured : others
    }

    /// Whether the limits of other devices allow this one.
    private func admitsOther(_ address: BluetoothAddress, at now: Duration) -> Bool {
        let count = others.presence.count
        if budget.admits(isPresent: others.presence.isPresent(address), count: count, at: now) { return true }
        reportLimits(at: now)
        return false
    }

    /// Records that a link to a device of the configuration was made or has ended.
    func setLinked(_ isLinked: Bool, _ address: BluetoothAddress) {
        guard matcher.matches(address) else { return }
        let now = loop.monotonicTime
        publish(configured.presence.setLinked(isLinked, address, at: now))
        arm(at: now)
    }

    /// Records a value that arrived over a link.
    func receivedValue(of address: BluetoothAddress) {
        guard matcher.matches(address) else { return }
        let now = loop.monotonicTime
        hear(address, rssi: nil, at: now, isDescribed: matcher.describes(address))
        arm(at: now)
    }

    /// Publishes the readings that wait for the end of an interval.
    func flush() {
        timer?.task.dispose()
        timer = nil
        for flow in [configured, others] {
            for message in flow.limiter.flush(at: loop.monotonicTime) { publish(message) }
        }
        for message in readingBudget.flush() { deliver(message) }
        for event in valueBudget.flush() { onValue?(event) }
    }

    /// Decodes the sections with values. Phones and trackers have none.
    private func decode(
        _ sections: [AdvertisedSection], from sender: BluetoothAddress, of address: BluetoothAddress, name: String?,
        _ flow: DeviceFlow, at now: Duration
    ) -> [SensorReading] {
        var readings: [SensorReading] = []
        let sender = SenderAddress(sender)
        for section in sections {
            switch flow.decoder.decode(section, from: sender, name: name, among: sections, at: now) {
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
        if message.device.isConfigured { return publishLimited(message) }
        let now = loop.monotonicTime
        guard budget.takeReading(at: now) else { return reportLimits(at: now) }
        deliver(message)
    }

    func deliver(_ message: ReadingMessage) {
        counts.messages += 1
        onReading?(message)
    }

    /// Records that a device is in range.
    private func hear(_ address: BluetoothAddress, rssi: Int?, at now: Duration, isDescribed: Bool) {
        if isDescribed {
            publish(configured.presence.hear(address, rssi: rssi, at: now))
        } else {
            publish(others.presence.hear(address, rssi: rssi, at: now, publishes: budget.allowsPresence(at: now)))
        }
    }

    func publish(_ changes: [PresenceMonitor.Change]) {
        guard !changes.isEmpty else { return }
        let now = loop.monotonicTime
        for change in changes {
            let message = message(change)
            if change.kind == .lost || change.kind == .forgotten { names.forget(change.address) }
            guard change.kind != .forgotten else { continue }
            if !message.device.isConfigured { budget.countPresence(at: now) }
            onPresence?(message, change.kind)
        }
    }

    private func message(_ change: PresenceMonitor.Change) -> PresenceMessage {
        let (time, age) = (loop.scheduler.now, (loop.monotonicTime - change.lastHeard) / .seconds(1))
        return PresenceMessage(
            device: device(change.address), isPresent: change.kind != .lost, rssi: change.rssi,
            lastSeen: time.addingTimeInterval(-age), time: time)
    }

    /// Returns a message about the presence of a device; nil if it is not in range.
    func presence(of address: BluetoothAddress) -> PresenceMessage? {
        flow(of: address).presence.state(of: address).map { message($0) }
    }

    private func reportLimits(at now: Duration) {
        for notice in budget.takeNotices(at: now) { onNotice?(notice) }
        arm(at: now)
    }
}

// The timer.
extension ReadingPipeline {
    /// Sets the timer for waiting readings and lost devices, unless an earlier or equal one is set.
    func arm(at now: Duration) {
        // Readings of many devices wait until different times. Their messages are stored in batches anyway.
        let earliest = now + .milliseconds(100)
        // Most advertisements end here while readings wait.
        if let due = timer?.time, due <= earliest { return }
        let deadline = configured.nextDeadline.earlier(others.nextDeadline)
            .earlier(budget.nextDeadline).earlier(readingBudget.nextDeadline).earlier(valueBudget.nextDeadline)
        guard let deadline else { return }
        let time = max(earliest, deadline)
        if let due = timer?.time, time >= due { return }
        timer?.task.dispose()
        let bound = loop.bound(WeakReference(self))
        timer = (time, loop.schedule(after: time - now) { bound.value.object?.timerFired() })
    }

    private func timerFired() {
        timer = nil
        let now = loop.monotonicTime
        for flow in [configured, others] {
            for message in flow.limiter.due(at: now) { publish(message) }
            publish(flow.presence.expire(at: now))
        }
        for message in readingBudget.due(at: now) { deliver(message) }
        for event in valueBudget.due(at: now) { onValue?(event) }
        for notice in budget.takeNotices(at: now) { onNotice?(notice) }
        for notice in readingBudget.takeNotices(at: now) + valueBudget.takeNotices(at: now) { onNotice?(notice) }
        arm(at: now)
    }
}
