import DBus

extension Trial {
    /// Scans as a good client does until a device is there.
    func find(_ device: String) {
        first.call(
            "hci0", "Adapter1.SetDiscoveryFilter", ["Transport": Value.string("le"), "DuplicateData": .bool(true)],
            noting: false)
        first.call("hci0", "Adapter1.StartDiscovery", noting: false)
        wait { names.isPresent(device) }
    }
}

extension Behaviour {
    /// Links.
    static let connection = [
        Behaviour(
            "Connect: the order of Connected, the reply, the services' objects and ServicesResolved", 70,
            transcript: """
                TWINS Device1 Connected=true
                TWINS Connect -> ok
                added TWINS/1801: Introspectable GattService1 Properties
                added TWINS/1801/2a05: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                added TWINS/1801/2b29: Introspectable GattCharacteristic1 Properties
                added TWINS/1801/2b2a: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0: Introspectable GattService1 Properties
                added TWINS/ffd0/ffd1: Introspectable GattCharacteristic1 Properties
                added TWINS/ffd0#2: Introspectable GattService1 Properties
                added TWINS/ffd0#2/ffd1: Introspectable GattCharacteristic1 Properties
                TWINS Device1 UUIDs=[1800, 1801, ffd0] ServicesResolved=true
                """
        ) { trial in
            trial.aside { trial.find("TWINS") }
            trial.watch("TWINS", hiding: ["RSSI", "ManufacturerData"])
            trial.first.call("TWINS", "Device1.Connect")
            trial.first.until("ServicesResolved=true")
        }
    ]
}
