import FoundationEssentials

/// Packets of the management socket. bluetoothd stays in charge of the session, and its objects are the peripherals.
extension ScanReceiver {
    /// Handles a packet of a device.
    func found(_ found: DeviceFound, _ buffer: [UInt8], at time: PacketTime) {
        guard isReceiving else { return }
        var key = DeviceKey(adapter: adapter, address: found.address)
        if !identities.isEmpty, let known = identities[found.address] { key = known }
        let isKnown = subscribers.found(
            key, buffer, found.packet, rssi: found.rssi, during: number, at: time.date)
        if isKnown { return }
        pending.store(key, buffer, found, time)
        if pending.isMissing(key, at: time) { readIdentities(at: time) }
    }

    /// Reads the devices again, because one of them may have this address now: another program may have paired with it.
    ///
    /// bluetoothd does not show all devices, for example if it filters them, so this is not done for each packet.
    private func readIdentities(at time: PacketTime) {
        guard !client.mirror.followsDevices else { return }
        if let last = identitiesRead, time.monotonic.duration(since: last) < Self.identityPause { return }
        identitiesRead = time.monotonic
        client.deviceSignals.onCurrent { _ in }
    }

    private static let identityPause = Duration.seconds(60)

    /// Emits the packet of a device that bluetoothd shows now.
    ///
    /// If there is no packet, the device is emitted with its next one.
    func deviceAdded(_ key: DeviceKey) {
        guard let packet = pending.remove(key), isReceiving,
            client.settings.elapsed(since: packet.time.monotonic) < PendingPackets.longestDelay
        else { return }
        _ = subscribers.found(
            key, packet.bytes, packet.bytes.indices, rssi: packet.rssi, during: number, at: packet.time.date)
    }

    /// Ends the use of the management socket by a scan, if the scan uses it.
    func leavePackets(_ subscriber: ScanSubscriber) {
        guard subscriber.usesPackets else { return }
        subscriber.usesPackets = false
        if !subscribers.usesPackets { pending.removeAll() }
        client.scans.packets.leave()
    }

    /// Continues the scans over D-Bus, because the management socket has failed. Fails those that require the socket.
    func packetsLost(_ error: BluetoothError) {
        pending.removeAll()
        sourceFailure = error
        let users = subscribers.list.all.filter(\.usesPackets)
        for user in users { user.usesPackets = false }
        for user in users where user.options.source == .management { user.fail(error) }
        client.deviceSignals.update()
    }

    /// Records the addresses of devices that differ from the addresses in their object paths.
    func findIdentities() {
        identities = [:]
        for record in client.mirror.devices.values where record.key.adapter == adapter { recordIdentity(of: record) }
    }

    func addressChanged(of key: DeviceKey) {
        if let record = client.mirror.devices[key] { recordIdentity(of: record) }
    }

    private func recordIdentity(of record: DeviceRecord) {
        // The kernel resolves the private address of a bonded device, and sends its identity address (Q62).
        if let address = record.address, address != record.key.address { identities[address] = record.key }
    }

    /// Handles the removal of a device by bluetoothd.
    func removed(_ key: DeviceKey) {
        for (address, known) in identities where known == key { identities[address] = nil }
        subscribers.removed(key, during: number)
    }

    /// The source of the advertisements for a diagnosis.
    var sourceStatus: Diagnosis.ScanSourceStatus {
        if subscribers.usesPackets { return .management }
        let isRequired = subscribers.list.all.allSatisfy { $0.options.source == .dbus }
        return isRequired ? .requiredDBus : .dbus(after: sourceFailure)
    }
}

extension ScanSessions {
    /// Handles a device that bluetoothd did not show before.
    func deviceAdded(_ key: DeviceKey) { forEach(on: key.adapter) { $0.deviceAdded(key) } }

    /// Handles a change of the address of a device, as after bonding.
    func addressChanged(of key: DeviceKey) { forEach(on: key.adapter) { $0.addressChanged(of: key) } }

    func packetsLost(_ error: BluetoothError) {
        for (_, session) in all { session.packetsLost(error) }
    }

    var hasScans: Bool { all.contains { $0.session.subscribers.count > 0 } }

    /// Whether there are scans, and all of them receive packets and need no properties of devices.
    var receivesPacketsOnly: Bool {
        let lists = all.map(\.session.subscribers)
        return lists.contains(where: \.usesPackets) && !lists.contains(where: \.needsDeviceSignals)
    }
}

extension ScanSubscribers {
    /// Whether a scan uses packets of the management socket.
    var usesPackets: Bool { list.all.contains(where: \.usesPackets) }
    /// Whether a scan uses signals of bluetoothd.
    var usesSignals: Bool { list.all.contains { !$0.usesPackets } }
    /// Whether a scan uses signals of bluetoothd, or depends on connections.
    var needsDeviceSignals: Bool {
        list.all.contains { !$0.usesPackets || $0.presence?.needsConnections == true }
    }

    /// Emits a packet to each subscriber that uses packets and admits it.
    ///
    /// A packet that repeats the last one allocates no memory.
    ///
    /// - Returns: False if bluetoothd does not show the device.
    func found(
        _ key: DeviceKey, _ buffer: [UInt8], _ packet: Range<Int>, rssi: Int16?, during session: Int, at date: Date
    ) -> Bool {
        guard let record = mirror.devices[key] else { return false }
        let (flaws, data) = record.reception.take(buffer, packet, rssi: rssi, during: session)
        if !flaws.isEmpty { client.scans.packets.record(flaws) }
        if !mirror.followsDevices { record.takeName(data.localName) }
        guard let peripheral = record.peripheral else { return true }
        for subscriber in list.all where subscriber.admitPacket(record, buffer, packet) {
            subscriber.emitter.next(
                ScannedPeripheral(
                    peripheral: peripheral, advertisementData: data, rssi: rssi.map(Int.init), timestamp: date))
        }
        return true
    }
}

extension DeviceRecord.Reception {
    /// Updates the values with a packet. Returns the flaws of the packet, and the data.
    ///
    /// A packet that repeats the last one is not read again, unless bluetoothd may have replaced its values.
    fileprivate mutating func take(
        _ buffer: [UInt8], _ packet: Range<Int>, rssi: Int16?, during session: Int
    ) -> (flaws: PacketFlaws, data: AdvertisementData) {
        self.rssi = rssi
        lastSession = session
        let bytes = buffer[packet]
        if !isSignalled, let last = advertisement.rawData, last[...] == bytes { return ([], advertisement) }
        isSignalled = false
        let flaws = advertisement.values.take(buffer, packet)
        return (flaws, advertisement)
    }
}
