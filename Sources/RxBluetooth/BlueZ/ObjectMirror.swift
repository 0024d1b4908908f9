import DBus

/// The observer of changes of the object mirror.
protocol ObjectMirrorObserver: AnyObject {
    /// Handles malformed content of a signal or a snapshot, which the mirror has ignored.
    func messageRejected(total: Int)
    /// Handles a signal for an unknown object. Such signals are normal after the object's removal (Q19).
    func unknownObjectSignalled(total: Int)
    func adaptersChanged()
    func adapterRemoved(_ number: UInt16)
    func discoveringChanged(on adapter: UInt16, _ isDiscovering: Bool)
    /// Handles a device that bluetoothd did not show before.
    func deviceFound(_ key: DeviceKey)
    /// Handles a device after the signal that added it was read completely.
    func deviceAdded(_ device: DeviceRecord)
    func deviceChanged(_ change: DeviceChange)
    func deviceRemoved(_ key: DeviceKey)
    /// Handles the removal of a device with its adapter.
    func deviceRemovedWithAdapter(_ key: DeviceKey)
    func batteryChanged(_ key: DeviceKey)
    /// Returns whether the services of a device have been read in the present connection.
    func wereServicesRead(of key: DeviceKey) -> Bool
    /// Handles a service, characteristic or descriptor that a signal has added.
    func attributeAdded(to key: DeviceKey)
    func serviceAdded(to key: DeviceKey)
    func serviceRemoved(_ record: ServiceRecord, _ handle: UInt16, from key: DeviceKey)
    func characteristicRemoved(_ key: CharacteristicKey)
    /// Returns which properties of a characteristic are observed. Other properties are not read.
    func observedProperties(of key: CharacteristicKey) -> ObservedProperties
    func valueReceived(_ value: [UInt8], of key: CharacteristicKey)
    func mtuReceived(_ mtu: UInt16, of key: DeviceKey)
}

/// The observed properties of a characteristic.
enum ObservedProperties { case none, mtu, all }

/// A change of a device's properties by one signal.
struct DeviceChange {
    let device: DeviceRecord
    /// The properties with a new value.
    let set: Changes
    /// The properties with a new value, and those that were invalidated.
    let all: Changes
    let wasConnected: Bool
}

/// The objects of bluetoothd, from a snapshot and the signals after it.
final class ObjectMirror {
    private(set) var adapters: [UInt16: AdapterRecord] = [:]
    private(set) var devices: [DeviceKey: DeviceRecord] = [:]
    /// Whether the mirror matches the running bluetoothd and follows its signals.
    private(set) var isSynced = false
    /// Whether the signals of devices are received, see ``DeviceSignals``. Stored here, because each packet needs it.
    var followsDevices = true
    /// The number of malformed properties and messages. They are never fatal.
    private(set) var rejected = 0 {
        didSet {
            if rejected != oldValue { observer.messageRejected(total: rejected) }
        }
    }
    private var unknownObjectSignals = 0 {
        didSet { observer.unknownObjectSignalled(total: unknownObjectSignals) }
    }
    /// The number of services added during connections. It gives each of them a unique epoch.
    private var epochs: UInt64 = 0
    private let settings: Settings
    private let peripherals: PeripheralTable
    private weak let access: BlueZAccess?
    unowned let observer: any ObjectMirrorObserver

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

    func recordRejection() { rejected += 1 }
    func recordAbort(of key: DeviceKey) { devices[key]?.wasAborted = true }
    func resetAborts(of key: DeviceKey) { devices[key]?.wasAborted = false }

    // MARK: Objects

    /// Where the interfaces of an object are read from.
    private enum Source {
        /// The reply of `GetManagedObjects`, into an empty mirror.
        case snapshot
        /// The signal `InterfacesAdded`.
        case signal
        /// The reply of `GetManagedObjects`, for the changes that were not followed.
        case refresh
    }

    /// Reads the reply of `GetManagedObjects` into an empty mirror.
    ///
    /// Objects arrive in any order: children may precede their parents.
    func readSnapshot(_ reply: Message) throws(DBusError) {
        try reply.read { (body) throws(DBusError) in
            try body.dictionary { (object) throws(DBusError) in
                guard let key = ObjectKey(try object.objectPath()) else { return }
                try add(key, &object, .snapshot)
            }
        }
        for adapter in adapters.values { peripherals.follow(adapter) }
        for (key, record) in devices {
            // A record is removed if the snapshot has objects below a device, but not the device itself.
            if record.isListed { makePeripheral(record) } else { devices[key] = nil }
        }
    }

    /// Reads the properties of the devices again from the reply of `GetManagedObjects`.
    ///
    /// Added and removed objects were followed, so only properties of known objects can be outdated.
    /// Returns the changes that advertisements do not cause, to be reported when the whole reply is read.
    func refreshDevices(_ reply: Message) throws(DBusError) -> [DeviceChange] {
        var changes: [DeviceChange] = []
        try reply.read { (body) throws(DBusError) in
            try body.dictionary { (object) throws(DBusError) in
                guard let key = ObjectKey(try object.objectPath()) else { return }
                if case .device(let key) = key, let device = devices[key] {
                    if let change = try refresh(device, &object) { changes.append(change) }
                } else if case .adapter = key {
                    return
                } else {
                    try add(key, &object, .refresh)
                }
            }
        }
        return changes
    }

    private func refresh(_ device: DeviceRecord, _ body: inout MessageReader) throws(DBusError) -> DeviceChange? {
        var current: DeviceRecord?
        var bearers = Bearers()
        try body.dictionary { (entry) throws(DBusError) in
            guard let interface = try entry.withString({ BlueZ.Interface(bytes: $0) }) else { return }
            switch interface {
            case .device:
                var record = DeviceRecord(key: device.key)
                _ = try DeviceRecord.table.read(&entry, into: &record, rejected: &rejected)
                current = record
            case .battery:
                _ = try BatteryRecord.table.read(&entry, into: &device.battery, rejected: &rejected)
            case .bearerLE, .bearerClassic:
                bearers[interface] = try BearerRecord(&entry, rejected: &rejected)
            default: break
            }
        }
        current?.bearers = bearers
        return current.flatMap(device.refresh(from:))
    }

    /// Adds the interfaces that a signal announces, and reports the change.
    func add(_ key: ObjectKey, _ body: inout MessageReader) throws(DBusError) {
        // An interface that is added to a known device, such as Battery1, does not count as an advertisement (Q51).
        let device = key.ofAttribute
        if let device {
            // Whether the services were complete is decided before the addition, which may be a change of them.
            _ = observer.wereServicesRead(of: device)
            devices[device]?.recordAttribute(at: settings.now)
        }
        let hasDevice = try add(key, &body, .signal)
        switch key {
        case .adapter: observer.adaptersChanged()
        case .device(let key): if hasDevice, let device = devices[key] { observer.deviceAdded(device) }
        case .service, .characteristic, .descriptor:
            if let device { observer.attributeAdded(to: device) }
        }
    }

    /// Reads the interfaces of one object (`a{sa{sv}}`). Returns whether `Device1` is one of them.
    ///
    /// A malformed part does not prevent reading the other parts.
    @discardableResult
    private func add(_ key: ObjectKey, _ body: inout MessageReader, _ source: Source) throws(DBusError) -> Bool {
        var hasDevice = false
        // The bearers may precede the device in the message.
        var bearers: [(BlueZ.Interface, BearerRecord)] = []
        defer { if !bearers.isEmpty, case .device(let key) = key { addBearers(bearers, to: key, source == .snapshot) } }
        try body.dictionary { (entry) throws(DBusError) in
            guard let interface = try entry.withString({ BlueZ.Interface(bytes: $0) }) else { return }
            switch (interface, key) {
            case (.bearerLE, .device), (.bearerClassic, .device):
                bearers.append((interface, try BearerRecord(&entry, rejected: &rejected)))
            case (.adapter, .adapter(let number)):
                var record = AdapterRecord(number: number)
                _ = try AdapterRecord.table.read(&entry, into: &record, rejected: &rejected)
                adapters[number] = record
                if source == .signal { peripherals.follow(record) }
            case (.device, .device(let key)):
                try addDevice(key, &entry, source)
                hasDevice = true
            case (.battery, .device(let key)):
                guard source == .snapshot || devices[key] != nil else { return }
                _ = try BatteryRecord.table.read(
                    &entry, into: &record(of: key).battery, rejected: &rejected)
                observer.batteryChanged(key)
            case (.service, .service(let key, let handle)):
                guard source == .snapshot || devices[key] != nil else { return }
                let device = record(of: key)
                let isKnown = device.services[handle] != nil
                if source == .signal { device.services[handle, default: ServiceRecord()].epoch = nextEpoch(key) }
                _ = try ServiceRecord.table.read(
                    &entry, into: &device.services[handle, default: ServiceRecord()], rejected: &rejected)
                if source == .signal || !isKnown { observer.serviceAdded(to: key) }
            case (.characteristic, .characteristic(let key)):
                guard source == .snapshot || devices[key.device] != nil else { return }
                _ = try CharacteristicRecord.table.read(&entry, into: &self[key], rejected: &rejected)
                if let mtu = self[key].mtu { observer.mtuReceived(mtu, of: key.device) }
            case (.descriptor, .descriptor(let key, let handle)):
                guard source == .snapshot || devices[key.device] != nil else { return }
                _ = try DescriptorRecord.table.read(
                    &entry, into: &self[key].descriptors[handle, default: DescriptorRecord()], rejected: &rejected)
            default: break
            }
        }
        return hasDevice
    }

    private func addDevice(_ key: DeviceKey, _ body: inout MessageReader, _ source: Source) throws(DBusError) {
        // A path that is added again is a new object (Q60). In a snapshot, an existing record is kept: children may
        // precede their device.
        var record = source == .snapshot ? devices[key] ?? DeviceRecord(key: key) : DeviceRecord(key: key)
        _ = try DeviceRecord.table.read(&body, into: &record, rejected: &rejected)
        record.isListed = true
        devices[key] = record
        // In a snapshot, the peripheral is made later: it needs the identity of its adapter, which may follow the
        // device (Q28).
        guard source != .snapshot else { return }
        makePeripheral(record)
        observer.deviceFound(key)
    }

    /// Makes the services of a device new ones, so that attributes from before are not valid any more.
    func renewServices(of key: DeviceKey) {
        for handle in devices[key]?.services.keys.sorted() ?? [] {
            epochs += 1
            devices[key]?.services[handle]?.epoch = epochs
        }
    }

    private func nextEpoch(_ key: DeviceKey) -> UInt64 {
        guard observer.wereServicesRead(of: key) else { return 0 }
        epochs += 1
        return epochs
    }

    private func makePeripheral(_ record: DeviceRecord) {
        record.peripheral = peripherals.peripheral(for: record.key, kind: record.addressKind, of: access)
        record.updatePeripheral()
    }

    /// Returns the record of a device. Adds an empty record if there is none.
    func record(of key: DeviceKey) -> DeviceRecord {
        if let record = devices[key] { return record }
        let record = DeviceRecord(key: key)
        devices[key] = record
        return record
    }

    /// The record of a characteristic, or an empty record if there is none.
    private subscript(key: CharacteristicKey) -> CharacteristicRecord {
        get { record(key) ?? CharacteristicRecord() }
        set {
            record(of: key.device)
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
        case (.bearerLE, .device(let key)), (.bearerClassic, .device(let key)):
            if let device = devices[key] { setBearer(interface, nil, of: device) }
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
        case (.bearerLE, .device(let key)), (.bearerClassic, .device(let key)):
            guard let device = devices[key] else { return }
            var bearer = device.bearers[interface] ?? BearerRecord()
            _ = try BearerRecord.table.read(&body, into: &bearer, rejected: &rejected)
            _ = try BearerRecord.table.clear(&body, in: &bearer)
            setBearer(interface, bearer, of: device)
        default: break
        }
    }

    private func changeDevice(_ key: DeviceKey, _ body: inout MessageReader) throws(DBusError) {
        guard var device = devices[key] else {
            unknownObjectSignals += 1
            return
        }
        // The state before the signal is reported: during a connection, the name and the services are not advertised
        // ones (Q58).
        let wasConnected = device.isConnected
        let changes = try DeviceRecord.table.read(&body, into: &device, rejected: &rejected)
        // Values that were read are kept, even if the list of invalidated properties is malformed.
        var all = changes
        do throws(DBusError) {
            all.formUnion(try DeviceRecord.table.clear(&body, in: &device))
        } catch {
            rejected += 1
        }
        device.reception.isSignalled = true
        if all.intersects(DeviceRecord.named) || all.intersects(DeviceRecord.aliased) { device.updatePeripheral() }
        observer.deviceChanged(DeviceChange(device: device, set: changes, all: all, wasConnected: wasConnected))
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
