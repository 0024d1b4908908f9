import DBus

/// The operations that bluetoothd has lost, and the repairs of their devices (Q126).
///
/// ``StaleRepair`` decides what to do; this class makes the calls and runs the timers. ``LostOperationFile`` passes
/// lost operations to the next processes.
final class StaleOperations {
    private unowned let client: BlueZClient
    private var repairs: [DeviceKey: Repair] = [:]
    /// The lost operations of devices that could not be repaired.
    private var lost: [DeviceKey: [UnansweredOperations]] = [:]
    private var onIdle: [() -> Void] = []

    private final class Repair {
        var state = StaleRepair()
        let operations: UnansweredOperations?
        var grace: BusTask?
        var onEnd: [() -> Void] = []

        init(_ operations: UnansweredOperations?) { self.operations = operations }
    }

    init(_ client: BlueZClient) { self.client = client }

    // MARK: Links

    /// Takes over the operations of a link that has ended, and runs work when the device can be used again.
    func linkEnded(_ key: DeviceKey, _ operations: UnansweredOperations, then done: @escaping () -> Void) {
        guard !operations.isEmpty, client.owner != nil, client.mirror.devices[key] != nil else {
            operations.removeAll()
            return done()
        }
        let repair = begin(key, operations)
        repair.onEnd.append(done)
        operations.whenEmpty { [weak self] in self?.handle(key, .answered) }
        handle(key, .linkEnded)
    }

    /// Runs work when a link to a device may be made. Returns false if that is so already.
    func delay(_ key: DeviceKey, _ work: @escaping () -> Void) -> Bool {
        if let repair = repairs[key] {
            repair.onEnd.append(work)
            return true
        }
        guard lost[key] != nil, facts(key).allowsRemoval else { return false }
        begin(key, nil).onEnd.append(work)
        handle(key, .deviceNeeded)
        return true
    }

    /// Returns why an operation may not be sent: bluetoothd has lost an earlier one; nil if it may.
    func error(of message: Message, on key: DeviceKey) -> BluetoothError? {
        guard let lost = lost[key], let slot = UnansweredOperations.Slot(message),
            let needsPairing = lost.lazy.compactMap({ $0.needsPairing(of: slot) }).first
        else { return nil }
        // With a bond, bluetoothd has asked for no pairing, but tried to make the bond stronger.
        let isBonded = client.mirror.isBonded(key)
        guard !needsPairing, !isBonded else {
            let cause = needsPairing ? "After a refused pairing" : "After an operation that it has lost"
            let detail = "\(cause), bluetoothd does not execute it until the device is removed"
            return BluetoothError(.needsPairing, detail: detail).withWeakBond(isBonded)
        }
        return BluetoothError(
            .busy, detail: "bluetoothd has lost an earlier operation. Forget the device, or start bluetoothd again")
    }

    /// Runs work when no repair is in progress.
    func whenIdle(_ work: @escaping () -> Void) {
        if repairs.isEmpty { work() } else { onIdle.append(work) }
    }

    // MARK: Changes in bluetoothd

    /// Takes over what earlier processes have recorded about this bluetoothd.
    func snapshotArrived() {
        guard let file = client.settings.lostOperations, let owner = client.owner else { return }
        let recorded = Dictionary(grouping: file.entries(of: owner)) { entry in
            ObjectKey(path: entry.slot.path.utf8.span)?.ofAttribute
        }
        for case (let key?, let entries) in recorded where client.mirror.devices[key] != nil && lost[key] == nil {
            lost[key] = [UnansweredOperations(entries)]
        }
    }

    func deviceRemoved(_ key: DeviceKey) {
        if let operations = lost.removeValue(forKey: key) {
            for operations in operations { operations.removeAll() }
            removeRecords(at: key.path)
        }
        handle(key, .deviceRemoved)
    }

    func attributeRemoved(_ key: CharacteristicKey) {
        // Every removed attribute of a device comes here, so the file is opened only if it has one of them.
        guard let operations = lost[key.device]?.filter({ $0.contains(path: key.path) }), !operations.isEmpty else {
            return
        }
        for operations in operations { operations.removeAll(at: key.path) }
        removeRecords(at: key.path)
    }

    private func removeRecords(at path: String) {
        guard let file = client.settings.lostOperations, let owner = client.owner else { return }
        file.update(owner) { $0.removeAll { $0.slot.isAt(path) } }
    }

    /// Forgets everything because bluetoothd is gone.
    func daemonLost() {
        for operations in lost.values.joined() { operations.removeAll() }
        lost = [:]
        for key in Array(repairs.keys) { end(key) }
    }

    // MARK: The state machine

    /// The time in which bluetoothd answers pending operations after the end of a link.
    private static let grace = Duration.milliseconds(500)

    private func begin(_ key: DeviceKey, _ operations: UnansweredOperations?) -> Repair {
        let repair = Repair(operations)
        // The end of a link during a repair of the same device is not possible, because `delay` holds back the link.
        repairs[key] = repair
        client.teardowns.begin()
        return repair
    }

    private func facts(_ key: DeviceKey) -> StaleRepair.Facts {
        let device = client.mirror.devices[key]
        return StaleRepair.Facts(
            isShown: device != nil, isBonded: device?.isBonded == true, isConnected: device?.isConnected == true,
            isAdapterOn: client.mirror.adapters[key.adapter]?.isPowered == true, mayRemovalCrash: mayRemovalCrash(key))
    }

    private func mayRemovalCrash(_ key: DeviceKey) -> Bool {
        [repairs[key]?.operations].compactMap(\.self).contains(where: mayRemovalCrash(after:))
            || lost[key]?.contains(where: mayRemovalCrash(after:)) == true
    }

    /// Whether bluetoothd may crash if it removes a device with these unanswered operations (Q132).
    func mayRemovalCrash(after operations: UnansweredOperations) -> Bool {
        operations.hasSocketRequest && KnownProblem.mayAffect(client.version, .socketStartCrash)
    }

    private func handle(_ key: DeviceKey, _ event: StaleRepair.Event) {
        guard let repair = repairs[key] else { return }
        for action in repair.state.handle(event, facts(key)) { execute(action, repair, key) }
    }

    private func execute(_ action: StaleRepair.Action, _ repair: Repair, _ key: DeviceKey) {
        switch action {
        case .startGrace:
            repair.grace = client.bus.schedule(after: Self.grace) { [weak self] in self?.handle(key, .graceEnded) }
        case .cancelGrace: repair.grace?.cancel()
        case .removeDevice: removeDevice(key)
        case .record: if let operations = repair.operations { record(operations, of: key) }
        case .finish: end(key)
        }
    }

    private func record(_ operations: UnansweredOperations, of key: DeviceKey) {
        lost[key, default: []].append(operations)
        guard let file = client.settings.lostOperations, let owner = client.owner else { return }
        file.update(owner) { entries in
            for entry in operations.recorded where !entries.contains(entry) { entries.append(entry) }
        }
    }

    private func removeDevice(_ key: DeviceKey) {
        client.removals.remove(key, deadline: client.settings.deadlines.disconnect) { [weak self] error in
            self?.handle(key, .removalAnswered(isRemoved: error == nil))
        }
    }

    private func end(_ key: DeviceKey) {
        guard let repair = repairs.removeValue(forKey: key) else { return }
        repair.grace?.cancel()
        if let operations = repair.operations, lost[key]?.contains(where: { $0 === operations }) != true {
            operations.removeAll()
        }
        for work in repair.onEnd { work() }
        client.teardowns.end()
        guard repairs.isEmpty else { return }
        let idle = onIdle
        onIdle = []
        for work in idle { work() }
    }
}
