import DBus

/// Removes temporary devices after a scan, at power off, and 30 s after they were last seen.
///
/// Source: BlueZ 5.66, discovery_cleanup in src/adapter.c and device_disappeared in src/device.c.
final class TemporaryDeviceRemoval {
    private unowned let adapter: DaemonAdapter
    /// The devices that the present scan found, in the order in which it found them (discovery_found).
    private var found: [DaemonDevice] = []
    private var timer: BusTask?
    /// Seconds counted so far. The count advances only while temporary devices exist.
    private(set) var seconds = 0

    init(of adapter: DaemonAdapter) { self.adapter = adapter }

    /// Records that the present scan found a device.
    func reported(_ device: DaemonDevice) {
        guard !device.isFound else { return }
        device.isFound = true
        found.append(device)
    }

    func forget(_ device: DaemonDevice) { found.removeAll { $0 === device } }

    func cancel() {
        timer?.cancel()
        timer = nil
    }

    func removeAll() {
        for device in adapter.devicesInOrder where device.isTemporary { adapter.remove(device) }
    }

    /// Cleans up when the last discovery session ends.
    ///
    /// Invalidates the RSSI and TX power of found devices (Q54), and removes temporary non-connectable devices (Q59).
    func cleanUpAfterDiscovery() {
        let reported = found.reversed()
        found = []
        for device in reported {
            device.isFound = false
            device.forgetStrength()
        }
        for device in adapter.devicesInOrder where device.isTemporary && !device.isConnectable {
            adapter.remove(device)
        }
    }

    /// Starts the timer of one second unless it runs. bluetoothd also counts in whole seconds.
    func start() {
        guard timer == nil else { return }
        timer = adapter.loop.after(.seconds(1)) { [weak self] in self?.countSecond() }
    }

    private func countSecond() {
        timer = nil
        seconds += 1
        // A temporary device is removed even if it is connected, and its link ends with it.
        let temporary = adapter.devicesInOrder.filter(\.isTemporary)
        for device in temporary where seconds - device.lastSeen > DaemonTimeLimits.temporary { adapter.remove(device) }
        if temporary.contains(where: { adapter.devices[$0.address] === $0 }) { start() }
    }
}
