import DBus

/// Steps that many programs begin with.
extension Trial {
    /// Makes bluetoothd forget its devices, which those of an earlier program may be.
    func forgetDevices() {
        aside {
            scan()
            first.until("Discovering=true")
            first.call("hci0", "Adapter1.StopDiscovery", noting: false)
            first.until("Discovering=false")
        }
        for device in Names.peripherals.values where names.isPresent(device) {
            first.call(
                "hci0", "Adapter1.RemoveDevice", Value.objectPath(names.path(of: device) ?? .root), noting: false)
        }
        pass(.seconds(1))
    }

    /// Starts a scan of the first client.
    func scan(_ filter: [String: Value] = ["Transport": .string("le"), "DuplicateData": .bool(true)]) {
        first.call("hci0", "Adapter1.SetDiscoveryFilter", filter, noting: false)
        first.call("hci0", "Adapter1.StartDiscovery", noting: false)
    }

    /// Scans as a good client does (Q45, Q48) until devices are there, and goes on scanning.
    func find(_ devices: String...) {
        scan()
        wait { devices.allSatisfy(names.isPresent) }
    }

    /// Scans until a device is there, and stops.
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
            // bluetoothd has more to read then: names, the battery.
            pass(.seconds(1))
        }
    }

    /// Notes which devices there are.
    func list() {
        flush()
        let devices = Names.peripherals.values.sorted().filter(names.isPresent)
        first.journal.write("devices: " + (devices.isEmpty ? "none" : devices.joined(separator: ", ")))
    }
}

extension Client {
    /// Whether a device is connected and its services are known.
    func isLinked(to device: String) -> Bool {
        let answer = call(
            device, "org.freedesktop.DBus.Properties.Get", "org.bluez.Device1", "ServicesResolved", noting: false)
        return answer.values == [.variant(.bool(true))]
    }
}
