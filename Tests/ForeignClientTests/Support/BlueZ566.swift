/// The interfaces that bluetoothd 5.66 shows with `-E`, member by member. Source: the tables in its src/adapter.c,
/// src/device.c, src/gatt-client.c, src/agent.c, src/battery.c, src/adv_monitor.c, src/advertising.c, and gdbus/object.c.
enum BlueZ566 {
    /// An interface, and of its members those that the simulation may lack.
    struct Interface {
        let members: Set<Shown.Member>
        let mayLack: Set<Shown.Member>

        /// One member a line. What may be lacking has the reason behind a `#`.
        init(_ text: String) {
            var (members, mayLack): (Set<Shown.Member>, Set<Shown.Member>) = ([], [])
            for line in text.split(separator: "\n") {
                let parts = line.split(separator: " #", maxSplits: 1)
                let member = Shown.Member(parts[0])
                members.insert(member)
                if parts.count > 1 { mayLack.insert(member) }
            }
            self.members = members
            self.mayLack = mayLack
        }
    }

    static let interfaces: [String: Interface] = [
        "org.freedesktop.DBus.Introspectable": Interface("Introspect() -> s"),
        "org.freedesktop.DBus.Properties": Interface(
            """
            Get(ss) -> v
            Set(ssv)
            GetAll(s) -> a{sv}
            signal PropertiesChanged(sa{sv}as)
            """),
        "org.freedesktop.DBus.ObjectManager": Interface(
            """
            GetManagedObjects() -> a{oa{sa{sv}}}
            signal InterfacesAdded(oa{sa{sv}})
            signal InterfacesRemoved(oas)
            """),
        "org.bluez.Adapter1": Interface(adapter),
        "org.bluez.Device1": Interface(device),
        "org.bluez.GattService1": Interface("UUID: s\nDevice: o\nPrimary: b\nIncludes: ao"),
        "org.bluez.GattCharacteristic1": Interface(characteristic),
        "org.bluez.GattDescriptor1": Interface(
            """
            ReadValue(a{sv}) -> ay
            WriteValue(aya{sv})
            UUID: s
            Characteristic: o
            Value: ay
            """),
        "org.bluez.Battery1": Interface("Percentage: y\nSource: s"),
        "org.bluez.AgentManager1": Interface(
            """
            RegisterAgent(os)
            UnregisterAgent(o)
            RequestDefaultAgent(o)
            """),
        "org.bluez.AdvertisementMonitorManager1": Interface(
            """
            RegisterMonitor(o)
            UnregisterMonitor(o)
            SupportedMonitorTypes: as
            SupportedFeatures: as
            """),
        "org.bluez.LEAdvertisingManager1": Interface(
            """
            RegisterAdvertisement(oa{sv})
            UnregisterAdvertisement(o)
            ActiveInstances: y
            SupportedInstances: y
            SupportedIncludes: as
            SupportedSecondaryChannels: as #only with a controller of Bluetooth 5
            SupportedFeatures: as
            SupportedCapabilities: a{sv}
            """),
    ]

    private static let adapter = """
        StartDiscovery()
        SetDiscoveryFilter(a{sv})
        StopDiscovery()
        RemoveDevice(o)
        GetDiscoveryFilters() -> as
        ConnectDevice(a{sv}) #experimental to this day, and no client needs it
        Address: s
        AddressType: s
        Name: s
        Alias: s writable
        Class: u
        Powered: b writable
        PowerState: s
        Discoverable: b writable
        DiscoverableTimeout: u writable
        Pairable: b writable
        PairableTimeout: u writable
        Discovering: b
        UUIDs: as
        Modalias: s
        Roles: as
        ExperimentalFeatures: as #lists what the kernel tries out; there is no kernel
        """

    private static let device = """
        Disconnect()
        Connect()
        ConnectProfile(s) #for profiles that bluetoothd has inside, mostly of BR/EDR
        DisconnectProfile(s) #for profiles that bluetoothd has inside, mostly of BR/EDR
        Pair() #not simulated yet
        CancelPairing() #not simulated yet
        Address: s
        AddressType: s
        Name: s
        Alias: s writable
        Class: u #of BR/EDR
        Appearance: q
        Icon: s
        Paired: b
        Bonded: b
        Trusted: b writable
        Blocked: b writable
        LegacyPairing: b
        RSSI: n
        Connected: b
        UUIDs: as
        Modalias: s #where the device has the PnP ID
        Adapter: o
        ManufacturerData: a{qv}
        ServiceData: a{sv}
        TxPower: n
        ServicesResolved: b
        AdvertisingFlags: ay
        AdvertisingData: a{yv} #for data of kinds that bluetoothd does not know
        WakeAllowed: b writable #where the kernel can wake the computer
        """

    private static let characteristic = """
        ReadValue(a{sv}) -> ay
        WriteValue(aya{sv})
        AcquireWrite(a{sv}) -> hq #not simulated yet
        AcquireNotify(a{sv}) -> hq #not simulated yet
        StartNotify()
        StopNotify()
        UUID: s
        Service: o
        Value: ay
        Notifying: b
        Flags: as
        WriteAcquired: b
        NotifyAcquired: b
        MTU: q
        """
}
