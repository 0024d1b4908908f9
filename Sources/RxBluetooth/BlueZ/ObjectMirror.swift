import DBus

/// What follows from a change of the mirror.
protocol ObjectMirrorObserver: AnyObject {
    /// A signal or a snapshot held something malformed, which was ignored.
    func messageRejected(total: Int)
    /// A signal was about an object that is gone, which is normal (Q19).
    func unknownObjectSignalled(total: Int)
    func adaptersChanged()
    func adapterRemoved(_ number: UInt16)
    func discoveringChanged(on adapter: UInt16, _ isDiscovering: Bool)
    /// bluetoothd shows a device that it did not show before.
    func deviceFound(_ key: DeviceKey)
    /// The signal that brought a device was read to its end.
    func deviceAdded(_ key: DeviceKey)
    func deviceChanged(_ change: DeviceChange)
    func deviceRemoved(_ key: DeviceKey)
    /// A device is gone because its adapter is.
    func deviceRemovedWithAdapter(_ key: DeviceKey)
    func batteryChanged(_ key: DeviceKey)
    /// Whether the services of a device were read already in the present connection.
    func wereServicesRead(of key: DeviceKey) -> Bool
    func serviceAdded(to key: DeviceKey)
    func serviceRemoved(_ record: ServiceRecord, _ handle: UInt16, from key: DeviceKey)
    func characteristicRemoved(_ key: CharacteristicKey)
    /// Which properties of a characteristic are observed. Others are not read.
    func observedProperties(of key: CharacteristicKey) -> ObservedProperties
    func valueReceived(_ value: [UInt8], of key: CharacteristicKey)
    func mtuReceived(_ mtu: UInt16, of key: DeviceKey)
}

/// Which properties of a characteristic are observed.
enum ObservedProperties { case none, mtu, all }

/// A change of a device's properties by one signal.
struct DeviceChange {
    let key: DeviceKey
    /// The properties that have a new value.
    let set: Changes
    /// The properties that have a new value, or none any more.
    let all: Changes
    let wasConnected: Bool
}

/// The objects of bluetoothd, as far as its signals have told.
final class ObjectMirror {
    private(set) var adapters: [UInt16: AdapterRecord] = [:]
    private(set) var devices: [DeviceKey: DeviceRecord] = [:]
    /// Whether the mirror holds what the running bluetoothd has, and follows its signals.
    private(set) var isSynced = false
    /// How many properties and messages were malformed. They are counted, and never fatal.
    private(set) var rejected = 0 {
        didSet {
            if rejected != oldValue { observer.messageRejected(total: rejected) }
        }
    }
    private var unknownObjectSignals = 0 {
        didSet { observer.unknownObjectSignalled(total: unknownObjectSignals) }
    }
    /// Counts the services that were added during a connection, to distinguish each from the one before it.
    private var epochs: UInt64 = 0
    private let settings: Settings
    private let peripherals: PeripheralTable
    private weak let access: BlueZAccess?
    private unowned let observer: any ObjectMirrorObserver

    init(_ settings: Settings, _ peripherals: PeripheralTable, access: BlueZAccess?, observer: any ObjectMirrorObserver)
    {
        self.settings = settings
        self.peripherals = peripherals
        self.access = access
        self.observer = observer
    }

    func startFollowing() { isSynced = true }
    func stopFollowing() { isSynced = false }

    func empty() {
        adapters = [:]
        devices = [:]
    }

    func noteRejected() { rejected += 1 }
    func noteAbort(of key: DeviceKey) { devices[key]?.aborts += 1 }
    func resetAborts(of key: DeviceKey) { devices[key]?.aborts = 0 }
    func noteAdvertisement(of key: DeviceKey, during session: Int) { devices[key]?.lastSession = session }

    /// The record of a characteristic.
    func record(_ key: CharacteristicKey) -> CharacteristicRecord? {
        devices[key.device]?.services[key.service]?.characteristics[key.handle]
    }

    /// Whether bluetoothd has a bond with a device. The keys of a device that is paired and not bonded end with the link.
    func isBonded(_ key: DeviceKey) -> Bool { devices[key]?.isBonded == true }

    /// The addresses of a device: the one in its path, and the identity that a bond has revealed (Q62).
    func addresses(of key: DeviceKey) -> [BluetoothAddress] {
        [key.address] + (devices[key]?.address.map { [$0] } ?? [])
    }

    // MARK: Objects

    /// Reads the reply of `GetManagedObjects` into an empty mirror. Objects come in any order, children before parents.
    func readSnapshot(_ reply: Message) throws(DBusError) {
        try reply.read { (body) throws(DBusError) in
            try body.dictionary { (object) throws(DBusError) in
                guard let key = ObjectKey(try object.objectPath()) else { return }
                try add(key, &object, isSnapshot: true)
            }
        }
        for adapter in adapters.values { peripherals.follow(adapter) }
        for (key, record) in devices {
            // What stands below a device that is not there belongs to none.
            if record.isListed { makePeripheral(key) } else { devices[key] = nil }
        }
    }

    /// Adds the interfaces that a signal announces, and reports the change.
    func add(_ key: ObjectKey, _ body: inout MessageReader) throws(DBusError) {
        // A device may also get an interface such as Battery1 later, which is no advertisement (Q51).
        let hasDevice = try add(key, &body, isSnapshot: false)
        switch key {
        case .adapter: observer.adaptersChanged()
        case .device(let key): if hasDevice { observer.deviceAdded(key) }
        default: break
        }
    }

    /// Reads the interfaces of one object (`a{sa{sv}}`). A malformed part of an object never stops the others.
    ///
    /// Returns whether a device was among them.
    @discardableResult
    private func add(_ key: ObjectKey, _ body: inout MessageReader, isSnapshot: Bool) throws(DBusError) -> Bool {
        var hasDevice = false
        try body.dictionary { (entry) throws(DBusError) in
            guard let interface = try entry.withString({ BlueZ.Interface(bytes: $0) }) else { return }
            switch (interface, key) {
            case (.adapter, .adapter(let number)):
                var record = AdapterRecord(number: number)
                _ = try AdapterRecord.table.read(&entry, into: &record, rejected: &rejected)
                adapters[number] = record
                if !isSnapshot { peripherals.follow(record) }
            case (.device, .device(let key)):
                try addDevice(key, &entry, isSnapshot: isSnapshot)
                hasDevice = true
            case (.battery, .device(let key)):
                guard isSnapshot || devices[key] != nil else { return }
                _ = try BatteryRecord.table.read(
                    &entry, into: &devices[key, default: DeviceRecord(key: key)].battery, rejected: &rejected)
                observer.batteryChanged(key)
            case (.service, .service(let key, let handle)):
                guard isSnapshot || devices[key] != nil else { return }
                devices[key, default: DeviceRecord(key: key)].services[handle, default: ServiceRecord()].epoch =
                    nextEpoch(key)
                _ = try ServiceRecord.table.read(
                    &entry,
                    into: &devices[key, default: DeviceRecord(key: key)].services[handle, default: ServiceRecord()],
                    rejected: &rejected)
                observer.serviceAdded(to: key)
            case (.characteristic, .characteristic(let key)):
                guard isSnapshot || devices[key.device] != nil else { return }
                _ = try CharacteristicRecord.table.read(&entry, into: &self[key], rejected: &rejected)
                if let mtu = self[key].mtu { observer.mtuReceived(mtu, of: key.device) }
            case (.descriptor, .descriptor(let key, let handle)):
                guard isSnapshot || devices[key.device] != nil else { return }
                _ = try DescriptorRecord.table.read(
                    &entry, into: &self[key].descriptors[handle, default: DescriptorRecord()], rejected: &rejected)
            default: break
            }
        }
        return hasDevice
    }

    private func addDevice(_ key: DeviceKey, _ body: inout MessageReader, isSnapshot: Bool) throws(DBusError) {
        // A path that comes again is another object (Q60); only a snapshot may have brought its children before it.
        var record = isSnapshot ? devices[key] ?? DeviceRecord(key: key) : DeviceRecord(key: key)
        _ = try DeviceRecord.table.read(&body, into: &record, rejected: &rejected)
        record.isListed = true
        devices[key] = record
        // In a snapshot adapters come in any order, too, and decide whose peripherals these are (Q28).
        guard !isSnapshot else { return }
        makePeripheral(key)
        observer.deviceFound(key)
    }

    private func nextEpoch(_ key: DeviceKey) -> UInt64 {
        guard observer.wereServicesRead(of: key) else { return 0 }
        epochs += 1
        return epochs
    }

    private func makePeripheral(_ key: DeviceKey) {
        let kind = devices[key]?.addressKind
        devices[key]?.peripheral = peripherals.peripheral(for: key, kind: kind, of: access)
        devices[key]?.updatePeripheral()
    }

    /// The record of a characteristic, made if there is none.
    private subscript(key: CharacteristicKey) -> CharacteristicRecord {
        get { record(key) ?? CharacteristicRecord() }
        set {
            devices[key.device, default: DeviceRecord(key: key.device)]
                .services[key.service, default: ServiceRecord()].characteristics[key.handle] = newValue
        }
    }

    /// Removes an interface of an object, and reports the change.
    func remove(_ key: ObjectKey, _ interface: BlueZ.Interface) {
        switch (interface, key) {
        case (.adapter, .adapter(let number)):
            guard adapters.removeValue(forKey: number) != nil else { return }
            for key in devices.keys where key.adapter == number {
                devices[key] = nil
                observer.deviceRemovedWithAdapter(key)
            }
            observer.adapterRemoved(number)
        case (.device, .device(let key)):
            devices[key] = nil
            observer.deviceRemoved(key)
        case (.battery, .device(let key)):
            devices[key]?.battery = BatteryRecord()
        case (.service, .service(let key, let handle)):
            guard let record = devices[key]?.services.removeValue(forKey: handle) else { return }
            observer.serviceRemoved(record, handle, from: key)
        case (.characteristic, .characteristic(let key)):
            devices[key.device]?.services[key.service]?.characteristics[key.handle] = nil
            observer.characteristicRemoved(key)
        case (.descriptor, .descriptor(let key, let handle)):
            devices[key.device]?.services[key.service]?.characteristics[key.handle]?.descriptors[handle] = nil
        default: break
        }
    }

    // MARK: Properties

    /// Reads changed properties of an object, and reports the change.
    func change(
        _ key: ObjectKey, _ interface: BlueZ.Interface, _ body: inout MessageReader
    ) throws(DBusError) {
        switch (interface, key) {
        case (.device, .device(let key)): try changeDevice(key, &body)
        case (.characteristic, .characteristic(let key)): try changeCharacteristic(key, &body)
        case (.service, .service(let key, let handle)):
            guard devices[key]?.services[handle] != nil else { return }
            _ = try ServiceRecord.table.read(&body, into: &devices[key]!.services[handle]!, rejected: &rejected)
        case (.battery, .device(let key)):
            guard devices[key] != nil else { return }
            _ = try BatteryRecord.table.read(&body, into: &devices[key]!.battery, rejected: &rejected)
            observer.batteryChanged(key)
        case (.adapter, .adapter(let number)): try changeAdapter(number, &body)
        default: break
        }
    }

    private func changeDevice(_ key: DeviceKey, _ body: inout MessageReader) throws(DBusError) {
        guard let index = devices.index(forKey: key) else {
            unknownObjectSignals += 1
            return
        }
        // Whether a name or a list of services was advertised can only be told while there is no link (Q58).
        let wasConnected = devices.values[index].isConnected
        let changes = try DeviceRecord.table.read(&body, into: &devices.values[index], rejected: &rejected)
        // What was read counts, also if the list of what is taken back is malformed.
        var all = changes
        do throws(DBusError) {
            all.formUnion(try DeviceRecord.table.clear(&body, in: &devices.values[index]))
        } catch {
            rejected += 1
        }
        if all.intersects(DeviceRecord.named) { devices[key]?.updatePeripheral() }
        observer.deviceChanged(DeviceChange(key: key, set: changes, all: all, wasConnected: wasConnected))
    }

    private func changeCharacteristic(_ key: CharacteristicKey, _ body: inout MessageReader) throws(DBusError) {
        let observed = observer.observedProperties(of: key)
        guard observed != .none else { return }
        let table = observed == .mtu ? CharacteristicRecord.mtuTable : CharacteristicRecord.table
        var record = CharacteristicRecord()
        let changes = try table.read(&body, into: &record, rejected: &rejected)
        if let mtu = record.mtu { observer.mtuReceived(mtu, of: key.device) }
        if observed == .all, changes.intersects(CharacteristicRecord.valued) {
            observer.valueReceived(record.value, of: key)
        }
    }

    private func changeAdapter(_ number: UInt16, _ body: inout MessageReader) throws(DBusError) {
        guard adapters[number] != nil else {
            unknownObjectSignals += 1
            return
        }
        let wasDiscovering = adapters[number]?.isDiscovering
        defer {
            if let isDiscovering = adapters[number]?.isDiscovering, isDiscovering != wasDiscovering {
                adapters[number]?.discoveringSince = isDiscovering ? settings.now : nil
                observer.discoveringChanged(on: number, isDiscovering)
            }
        }
        _ = try AdapterRecord.table.read(&body, into: &adapters[number]!, rejected: &rejected)
        do throws(DBusError) {
            _ = try AdapterRecord.table.clear(&body, in: &adapters[number]!)
        } catch {
            rejected += 1
        }
        observer.adaptersChanged()
    }
}
