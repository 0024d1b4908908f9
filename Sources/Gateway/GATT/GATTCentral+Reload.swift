import Rx
import RxBluetooth

// The devices, which a configuration may change while links exist.
extension GATTCentral {
    /// Adds a device without a link.
    func add(_ device: DeviceSettings) {
        devices[device.address] = GATTDevice(device, jobs: makeJobs(device))
        scheduler.setJobs(!device.jobs.isEmpty, of: device.address, now: loop.monotonicTime)
    }

    private func makeJobs(_ device: DeviceSettings) -> GATTJobs {
        let central = loop.bound(WeakReference(self))
        let address = device.address
        return GATTJobs(device.jobs, loop: loop) { central.value.object?.handle($0, of: address) }
    }

    /// Uses other devices. Links to devices that remain stay, with their commands; jobs that have changed begin again.
    func reload(_ settings: [DeviceSettings]) {
        let new = Dictionary(settings.map { ($0.address, $0) }) { first, _ in first }
        for address in devices.keys.sorted() where new[address] == nil { remove(address) }
        for (address, settings) in new.sorted(by: { $0.key < $1.key }) {
            guard let device = devices[address] else {
                add(settings)
                continue
            }
            let hasChanged = device.settings.jobs != settings.jobs
            device.settings = settings
            if hasChanged { replaceJobs(of: device) }
        }
        decideSoon()
    }

    private func replaceJobs(of device: GATTDevice) {
        let address = device.settings.address
        device.jobs.end()
        device.jobs = makeJobs(device.settings)
        scheduler.setIdle(until: nil, address)
        // Whether this gateway owns a device with new jobs is set by `setOwned`.
        let hasJobs = scheduler.devices[address]?.hasJobs == true && !device.settings.jobs.isEmpty
        scheduler.setJobs(hasJobs, of: address, now: loop.monotonicTime)
        if hasJobs, let link = device.peripheral { device.jobs.begin(on: link) }
    }

    private func remove(_ address: BluetoothAddress) {
        guard let device = devices[address] else { return }
        let failure = CommandFailure.removed
        device.run?.fail(failure.kind, failure.text)
        for entry in commands[address] ?? [] {
            finish(entry.command.id, of: address, values: [], failure: failure)
        }
        device.jobs.end()
        device.connection.dispose()
        enter(.disconnected, device)
        commands[address] = nil
        devices[address] = nil
        scheduler.remove(address)
    }
}

extension CommandFailure {
    static let removed = CommandFailure(
        kind: "unknown-device", text: "The device was removed from the configuration; add it to “devices”")
}
