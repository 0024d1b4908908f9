extension BlueZ566 {
    /// The members of each interface, one per line, in the format of ``BusctlDescription/Member``.
    ///
    /// Source: the tables in src/adapter.c, src/device.c, src/gatt-client.c, src/agent.c, src/battery.c,
    /// src/adv_monitor.c and src/advertising.c, and gdbus/object.c.
    static let members = [
        "org.freedesktop.DBus.Introspectable": "Introspect() -> s",
        "org.freedesktop.DBus.Properties": """
        Get(ss) -> v
        Set(ssv)
        GetAll(s) -> a{sv}
        signal PropertiesChanged(sa{sv}as)
        """,
        "org.freedesktop.DBus.ObjectManager": """
        GetManagedObjects() -> a{oa{sa{sv}}}
        signal InterfacesAdded(oa{sa{sv}})
        signal InterfacesRemoved(oas)
        """,
        "org.bluez.Adapter1": """
        StartDiscovery()
        SetDiscoveryFilter(a{sv})
        StopDiscovery()
        RemoveDevice(o)
        GetDiscoveryFilters() -> as
        ConnectDevice(a{sv})
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
        ExperimentalFeatures: as
        """,
        "org.bluez.Device1": """
        Disconnect()
        Connect()
        ConnectProfile(s)
        DisconnectProfile(s)
        Pair()
        CancelPairing()
        Address: s
        AddressType: s
        Name: s
        Alias: s writable
        Class: u
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
        Modalias: s
        Adapter: o
        ManufacturerData: a{qv}
        ServiceData: a{sv}
        TxPower: n
        ServicesResolved: b
        AdvertisingFlags: ay
        AdvertisingData: a{yv}
        WakeAllowed: b writable
        """,
        "org.bluez.GattService1": """
        UUID: s
        Device: o
        Primary: b
        Includes: ao
        """,
        "org.bluez.GattCharacteristic1": """
        ReadValue(a{sv}) -> ay
        WriteValue(aya{sv})
        AcquireWrite(a{sv}) -> hq
        AcquireNotify(a{sv}) -> hq
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
        """,
        "org.bluez.GattDescriptor1": """
        ReadValue(a{sv}) -> ay
        WriteValue(aya{sv})
        UUID: s
        Characteristic: o
        Value: ay
        """,
        "org.bluez.Battery1": """
        Percentage: y
        Source: s
        """,
        "org.bluez.AgentManager1": """
        RegisterAgent(os)
        UnregisterAgent(o)
        RequestDefaultAgent(o)
        """,
        "org.bluez.AdvertisementMonitorManager1": """
        RegisterMonitor(o)
        UnregisterMonitor(o)
        SupportedMonitorTypes: as
        SupportedFeatures: as
        """,
        "org.bluez.LEAdvertisingManager1": """
        RegisterAdvertisement(oa{sv})
        UnregisterAdvertisement(o)
        ActiveInstances: y
        SupportedInstances: y
        SupportedIncludes: as
        SupportedSecondaryChannels: as
        SupportedFeatures: as
        SupportedCapabilities: a{sv}
        """,
    ]
}
