import DBus

/// Steps with which many programs begin.
extension Trial {
    /// Removes all devices from bluetoothd, including those of earlier programs.
    func forgetDevices() {
        aside {
            scan()
            first.until("Discovering=true")
            first.call("hci0", "Adapter1.StopDiscovery", noting: false)
            first.until("Discovering=false")
        }
        for device in ObjectNames.peripherals.values where names.isPresent(device) {
            first.call(
                "hci0", "Adapter1.RemoveDevice", Value.objectPath(names.path(of: device) ?? .root), noting: false)
        }
        pass(.seconds(1))
    }

    /// Starts a scan by the first client.
    func scan(_ filter: [String: Value] = ["Transport": .string("le"), "DuplicateData": .bool(true)]) {
        first.call("hci0", "Adapter1.SetDiscoveryFilter", filter, noting: false)
        first.call("hci0", "Adapter1.StartDiscovery", noting: false)
    }

    /// Scans with the recommended filter (Q45, Q48) until devices are found, and continues the scan.
    func find(_ devices: String...) {
        scan()
        wait { devices.allSatisfy(names.isPresent) }
    }

    /// Scans until a device is found, and stops the scan.
    func discover(_ device: String) {
        aside {
            find(device)
            first.call("hci0", "Adapter1.StopDiscovery", noting: false)
            first.until("Discovering=false")
        }
        watch(device)
    }

    /// Connects to a device and waits for its services.
    func connect(_ device: String) {
        if names.isPresent(device), first.isLinked(to: device) { return watch(device) }
        discover(device)
        aside {
            first.call(device, "Device1.Connect", noting: false)
            first.until("ServicesResolved=true")
            // Waits while bluetoothd reads further values, such as the name and the battery level.
            pass(.seconds(1))
        }
    }

    /// Logs which peripherals exist as devices.
    func list() {
        flush()
        let devices = ObjectNames.peripherals.values.sorted().filter(names.isPresent)
        first.eventLog.write("devices: " + (devices.isEmpty ? "none" : devices.joined(separator: ", ")))
    }
}

extension Client {
    /// Returns whether a device is connected and its services are known.
    func isLinked(to device: String) -> Bool {
        let reply = call(
            device, "org.freedesktop.DBus.Properties.Get", "org.bluez.Device1", "ServicesResolved", noting: false)
        return reply.values == [.variant(.bool(true))]
    }
}
