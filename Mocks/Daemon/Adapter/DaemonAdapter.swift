import DBus

/// An adapter object of bluetoothd, `org.bluez.Adapter1`.
final class DaemonAdapter {
    let number: Int
    let hardware: SimulatedAdapter
    let path: ObjectPath
    let loop: DaemonLoop
    let radio: RadioMedium
    let storage: DeviceStorage
    let differences: VersionDifferences
    let management: ManagementSockets
    let tables: InterfaceTables
    let agents: AgentManager
    let discovery = DiscoverySessions()

    var alias: String?
    var power: Power
    var isDiscovering = false
    var isDiscoverable = false
    var isConnectable = false
    var discoverableTimeout: UInt32 = 180
    var isPairable = false
    var pairableTimeout: UInt32 = 0
    /// The timers that reset `Discoverable` and `Pairable`.
    var discoverableEnd: BusTask?
    var pairableEnd: BusTask?
    /// Whether a call that sets `Powered` is waiting for the kernel.
    var isSwitching = false

    private(set) var devices: [DeviceAddress: DaemonDevice] = [:]
    private var order: [DaemonDevice] = []
    private(set) lazy var temporaryDevices = TemporaryDeviceRemoval(of: self)
    private var object: ServedObject?
    private(set) lazy var monitors = AdvertisementMonitorManager(of: self)
    private lazy var advertisements = AdvertisingManager(of: self)
    private(set) lazy var applications = GATTManager(of: self)

    /// The values of `PowerState`.
    enum Power: String {
        case on, off
        case onDisabling = "on-disabling"
        case offEnabling = "off-enabling"
        case offBlocked = "off-blocked"
    }

    init(
        number: Int, _ hardware: SimulatedAdapter, loop: DaemonLoop, agents: AgentManager, radio: RadioMedium,
        storage: DeviceStorage,
        differences: VersionDifferences, management: ManagementSockets
    ) {
        guard let path = ObjectPath("/org/bluez/hci\(number)") else {
            preconditionFailure("hci\(number) is no adapter.")
        }
        self.number = number
        self.hardware = hardware
        self.path = path
        self.loop = loop
        self.agents = agents
        self.radio = radio
        self.storage = storage
        self.differences = differences
        self.management = management
        tables = InterfaceTables(differences)
        power = hardware.isBlocked ? .offBlocked : hardware.isPowered ? .on : .off
        isPairable = agents.defaultAgent != nil
    }

    var tree: ObjectTree { loop.tree }
    var quirks: Set<Quirk> { differences.quirks }
    /// Whether the adapter is on. It is still on while `PowerState` is on-disabling.
    var isPowered: Bool { power == .on || power == .onDisabling }

    func appear() {
        let object = tree.add(TypedInterface(tables.adapter, of: self), at: path)
        tree.add(TypedInterface(GATTManager.table, of: applications), to: object)
        tree.add(TypedInterface(AdvertisementMonitorManager.table, of: monitors), to: object)
        advertisements.appear(on: object)
        self.object = object
        for record in storage.records(of: hardware.address) { add(DaemonDevice(record, on: self)).appear() }
    }

    func disappear() {
        monitors.end()
        advertisements.end()
        applications.end()
        radio.stopListening(self)
        temporaryDevices.cancel()
        for task in [discoverableEnd, pairableEnd] { task?.cancel() }
        for device in order.reversed() { remove(device, forgetting: false) }
        if let object { tree.remove(object) }
        object = nil
        for session in discovery.removeAll() { loop.forget(session.token) }
    }

    func changed(_ property: String) {
        if let object { tree.changed(object, property) }
    }

    // MARK: Devices

    var devicesInOrder: [DaemonDevice] { order }

    @discardableResult
    func add(_ device: DaemonDevice) -> DaemonDevice {
        devices[device.address] = device
        order.append(device)
        return device
    }

    func remove(_ device: DaemonDevice, forgetting: Bool = true) {
        guard devices[device.address] === device else { return }
        if device.hasFreedSocket { return loop.crash() }
        devices[device.address] = nil
        order.removeAll { $0 === device }
        temporaryDevices.forget(device)
        monitors.forget(device)
        if forgetting { storage.remove(device.address, of: hardware.address) }
        device.disappear()
    }

    // MARK: Advertising reports from the radio

    func receive(_ report: AdvertisingReport, rssi: Int16, from deviceState: SimulatedDeviceState) {
        guard !loop.isOver else { return }
        let isMonitored = monitors.isListening
        let watching = isMonitored ? monitors.matching(report) : []
        let isScanned = discovery.isReceiving && discovery.kernelPasses(report, rssi: rssi)
        guard isScanned || isMonitored else { return }
        // bluetoothd compares the patterns, so the kernel also sends packets that match no monitor.
        management.send(report, rssi: rssi, from: deviceState, on: number, forMonitors: !isScanned)
        guard isScanned || !watching.isEmpty else { return }
        let isDiscoverable =
            !watching.isEmpty
            || discovery.isDiscoverable(report, address: deviceState.address, differences)
        let device: DaemonDevice
        if let known = devices[deviceState.address] {
            device = known
        } else {
            guard isDiscoverable, !watching.isEmpty || !isScanResponse(report) else { return }
            device = add(DaemonDevice(deviceState.address, on: self))
            device.appear()
        }
        device.markSeen(isConnectable: report.isConnectable)
        defer { for monitor in watching { monitor.markSeen(device.path, rssi: rssi) } }
        guard isDiscoverable else { return }
        if quirks.contains(.Q127), discovery.comparesServices(of: report) { return loop.crash() }
        guard discovery.matches(report) else { return }
        device.take(
            report, rssi: rssi, threshold: discovery.isFiltered ? 0 : 8, keepsDuplicates: discovery.keepsDuplicates,
            includingName: isScanned)
        temporaryDevices.reported(device)
    }

    /// Returns whether the packet counts as a scan response without an advertisement (Q63).
    ///
    /// A simulated peripheral describes no scan responses, so with the quirk each non-connectable packet counts as one.
    private func isScanResponse(_ report: AdvertisingReport) -> Bool { !report.isConnectable && quirks.contains(.Q63) }
}
