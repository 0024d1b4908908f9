extension BlueZInterfaces {
    /// The members of each interface, in the formats of ``BusctlDescription/Member`` and ``VersionedText``.
    ///
    /// Source: the tables in src/adapter.c, src/device.c, src/gatt-client.c, src/agent.c, src/battery.c,
    /// src/adv_monitor.c and src/advertising.c, and gdbus/object.c.
    static let members: [String: VersionedText] = [
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
        @5.82+ Connectable: b writable
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
        @5.82+ Manufacturer: q
        @5.82+ Version: y
        """,
        "org.bluez.Device1": """
        Disconnect()
        Connect()
        ConnectProfile(s)
        DisconnectProfile(s)
        Pair()
        CancelPairing()
        @5.82+ GetServiceRecords() -> aay
        @5.87 signal Disconnected(ss)
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
        @5.87 CablePairing: b
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
        @5.82+ Sets: a{oa{sv}}
        @5.82+ PreferredBearer: s writable
        """,
        "org.bluez.Bearer.LE1": """
        Connect()
        Disconnect()
        signal Disconnected(ss)
        Adapter: o
        Paired: b
        Bonded: b
        Connected: b
        """,
        "org.bluez.GattService1": """
        @5.82+ Handle: q
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
        @5.82+ Handle: q
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
        @5.82+ Handle: q
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
