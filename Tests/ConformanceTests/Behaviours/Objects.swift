import DBus

extension Behaviour {
    /// Behaviours of objects, interfaces and properties.
    static let objects = [
        Behaviour(
            "The adapter has these properties and types",
            transcript: """
                hci0 Adapter1 Address s 00:AA:01:00:00:01
                hci0 Adapter1 AddressType s public
                @5.66 hci0 Adapter1 Name s BlueZ 5.66
                @5.66 hci0 Adapter1 Alias s BlueZ 5.66
                @5.82 hci0 Adapter1 Name s BlueZ 5.82
                @5.82 hci0 Adapter1 Alias s BlueZ 5.82
                @5.87 hci0 Adapter1 Name s BlueZ 5.87
                @5.87 hci0 Adapter1 Alias s BlueZ 5.87
                hci0 Adapter1 Class u 0
                @5.82+ hci0 Adapter1 Connectable b false
                hci0 Adapter1 Powered b true
                hci0 Adapter1 PowerState s on
                hci0 Adapter1 Discoverable b false
                hci0 Adapter1 DiscoverableTimeout u 180
                hci0 Adapter1 Pairable b false
                hci0 Adapter1 PairableTimeout u 0
                hci0 Adapter1 Discovering b false
                @5.66 hci0 Adapter1 UUIDs as [112d, 110e, 1200, 110c, 1800, 1801, 1844, 180a]
                @5.66 hci0 Adapter1 Modalias s usb:v1D6Bp0246d0542
                @5.82 hci0 Adapter1 UUIDs as [184f, 1200, 110e, 110c, 1800, 1843, 1801, 1844, 180a, 184d, 1845, 112d]
                @5.82 hci0 Adapter1 Modalias s usb:v1D6Bp0246d0552
                @5.87 hci0 Adapter1 UUIDs as [184f, 1200, 110e, 185b, 110c, 1800, 1843, 1801, 1844, 180a, 184d, 1845, 1849]
                @5.87 hci0 Adapter1 Modalias s usb:v1D6Bp0246d0557
                hci0 Adapter1 Roles as [central, peripheral]
                @5.82+ hci0 Adapter1 Manufacturer q 65535
                @5.82+ hci0 Adapter1 Version y 9
                hci0 LEAdvertisingManager1 ActiveInstances y 0
                hci0 LEAdvertisingManager1 SupportedInstances y 5
                hci0 LEAdvertisingManager1 SupportedIncludes as [tx-power, appearance, local-name]
                hci0 LEAdvertisingManager1 SupportedFeatures as []
                hci0 LEAdvertisingManager1 SupportedCapabilities a{sv} {MinTxPower: 0, MaxTxPower: 0, MaxAdvLen: 31, MaxScnRspLen: 31}
                hci0 AdvertisementMonitorManager1 SupportedMonitorTypes as [or_patterns]
                hci0 AdvertisementMonitorManager1 SupportedFeatures as []
                """
        ) { trial in
            trial.first.describe("hci0", "Adapter1")
            trial.first.describe("hci0", "LEAdvertisingManager1")
            trial.first.describe("hci0", "AdvertisementMonitorManager1")
        },
        Behaviour(
            "Pairable, Discoverable and their time-outs can be set and reset", 35,
            transcript: """
                hci0 Set org.bluez.Adapter1 Pairable true -> ok
                hci0 Adapter1 Pairable=true
                hci0 Set org.bluez.Adapter1 Pairable true -> ok
                hci0 Set org.bluez.Adapter1 Pairable false -> ok
                hci0 Adapter1 Pairable=false
                hci0 Set org.bluez.Adapter1 PairableTimeout 30 -> ok
                hci0 Adapter1 PairableTimeout=30
                hci0 Set org.bluez.Adapter1 PairableTimeout 0 -> ok
                hci0 Adapter1 PairableTimeout=0
                hci0 Set org.bluez.Adapter1 DiscoverableTimeout 30 -> ok
                hci0 Adapter1 DiscoverableTimeout=30
                hci0 Set org.bluez.Adapter1 DiscoverableTimeout 180 -> ok
                hci0 Adapter1 DiscoverableTimeout=180
                @5.82+ hci0 Adapter1 Connectable=true
                hci0 Set org.bluez.Adapter1 Discoverable true -> ok
                hci0 Adapter1 Discoverable=true
                hci0 Set org.bluez.Adapter1 Discoverable true -> ok
                hci0 Set org.bluez.Adapter1 Discoverable false -> ok
                @5.66 hci0 Adapter1 Discoverable=false
                @5.82+ hci0 Adapter1 Discoverable=false Connectable=false
                """
        ) { trial in
            let settings: [(String, [Value])] = [
                ("Pairable", [.bool(true), .bool(true), .bool(false)]),
                ("PairableTimeout", [.uint32(30), .uint32(0)]),
                ("DiscoverableTimeout", [.uint32(30), .uint32(180)]),
                ("Discoverable", [.bool(true), .bool(true), .bool(false)]),
            ]
            for (property, values) in settings {
                for value in values {
                    trial.first.set("hci0", "Adapter1", property, value)
                    // Waits for a signal after the reply, because the kernel applies the setting asynchronously.
                    trial.pass(.milliseconds(300))
                }
            }
        },
        Behaviour(
            "GetManagedObjects lists a connected device and its attributes in this order", 18,
            linkedTo: "TWINS",
            transcript: """
                @5.66,5.82 /org/bluez: Introspectable AgentManager1 ProfileManager1 HealthManager1
                @5.66,5.82 hci0: Introspectable Adapter1 Properties BatteryProviderManager1 GattManager1 AdvertisementMonitorManager1 Media1 NetworkServer1 SimAccess1 LEAdvertisingManager1
                @5.66,5.82 TWINS: Introspectable Device1 Properties
                @5.87 /org/bluez: Introspectable AgentManager1 ProfileManager1
                @5.87 hci0: Introspectable Adapter1 Properties BatteryProviderManager1 GattManager1 AdvertisementMonitorManager1 Media1 NetworkServer1 LEAdvertisingManager1
                @5.87 TWINS: Introspectable Device1 Properties LE1
                TWINS/ffd0#2: Introspectable GattService1 Properties
                TWINS/ffd0#2/ffd1: Introspectable GattCharacteristic1 Properties
                TWINS/ffd0: Introspectable GattService1 Properties
                TWINS/ffd0/ffd1: Introspectable GattCharacteristic1 Properties
                TWINS/1801: Introspectable GattService1 Properties
                TWINS/1801/2b2a: Introspectable GattCharacteristic1 Properties
                TWINS/1801/2b29: Introspectable GattCharacteristic1 Properties
                TWINS/1801/2a05: Introspectable GattCharacteristic1 Properties
                TWINS/1801/2a05/2902: Introspectable GattDescriptor1 Properties
                @5.82+ TWINS/1800: Introspectable GattService1 Properties
                @5.82+ TWINS/1800/2a01: Introspectable GattCharacteristic1 Properties
                @5.82+ TWINS/1800/2a00: Introspectable GattCharacteristic1 Properties
                """,
            differences: [.loopback: fewerInterfaces, .privateBus: fewerInterfaces]
        ) { trial in
            trial.first.listObjects(below: "TWINS", "hci0", "/org/bluez")
        },
        Behaviour(
            "Introspect lists these interfaces and members", 20,
            linkedTo: "TWINS",
            transcript: """
                / Introspectable: Introspect ->s=xml
                / ObjectManager: GetManagedObjects ->a{oa{sa{sv}}}=objects InterfacesAdded o=object a{sa{sv}}=interfaces InterfacesRemoved o=object as=interfaces
                /org/bluez Introspectable: Introspect ->s=xml
                /org/bluez AgentManager1: RegisterAgent o=agent s=capability UnregisterAgent o=agent RequestDefaultAgent o=agent
                hci0 Introspectable: Introspect ->s=xml
                @5.66 hci0 Adapter1: StartDiscovery SetDiscoveryFilter a{sv}=properties StopDiscovery RemoveDevice o=device GetDiscoveryFilters ->as=filters ConnectDevice a{sv}=properties Address.s.read AddressType.s.read Name.s.read Alias.s.readwrite Class.u.read Powered.b.readwrite PowerState.s.read Discoverable.b.readwrite DiscoverableTimeout.u.readwrite Pairable.b.readwrite PairableTimeout.u.readwrite Discovering.b.read UUIDs.as.read Modalias.s.read Roles.as.read ExperimentalFeatures.as.read
                @5.82+ hci0 Adapter1: StartDiscovery SetDiscoveryFilter a{sv}=properties StopDiscovery RemoveDevice o=device GetDiscoveryFilters ->as=filters ConnectDevice a{sv}=properties Address.s.read AddressType.s.read Name.s.read Alias.s.readwrite Class.u.read Connectable.b.readwrite Powered.b.readwrite PowerState.s.read Discoverable.b.readwrite DiscoverableTimeout.u.readwrite Pairable.b.readwrite PairableTimeout.u.readwrite Discovering.b.read UUIDs.as.read Modalias.s.read Roles.as.read ExperimentalFeatures.as.read Manufacturer.q.read Version.y.read
                hci0 Properties: Get s=interface s=name ->v=value Set s=interface s=name v=value GetAll s=interface ->a{sv}=properties PropertiesChanged s=interface a{sv}=changed_properties as=invalidated_properties
                hci0 GattManager1: RegisterApplication o=application a{sv}=options UnregisterApplication o=application
                hci0 AdvertisementMonitorManager1: RegisterMonitor o=application UnregisterMonitor o=application SupportedMonitorTypes.as.read SupportedFeatures.as.read
                hci0 LEAdvertisingManager1: RegisterAdvertisement o=advertisement a{sv}=options UnregisterAdvertisement o=service ActiveInstances.y.read SupportedInstances.y.read SupportedIncludes.as.read SupportedSecondaryChannels.as.read SupportedFeatures.as.read SupportedCapabilities.a{sv}.read
                TWINS Introspectable: Introspect ->s=xml
                @5.66 TWINS Device1: Disconnect Connect ConnectProfile s=UUID DisconnectProfile s=UUID Pair CancelPairing Address.s.read AddressType.s.read Name.s.read Alias.s.readwrite Class.u.read Appearance.q.read Icon.s.read Paired.b.read Bonded.b.read Trusted.b.readwrite Blocked.b.readwrite LegacyPairing.b.read RSSI.n.read Connected.b.read UUIDs.as.read Modalias.s.read Adapter.o.read ManufacturerData.a{qv}.read ServiceData.a{sv}.read TxPower.n.read ServicesResolved.b.read AdvertisingFlags.ay.read AdvertisingData.a{yv}.read WakeAllowed.b.readwrite
                @5.82 TWINS Device1: Disconnect Connect ConnectProfile s=UUID DisconnectProfile s=UUID Pair CancelPairing GetServiceRecords ->aay=Records Address.s.read AddressType.s.read Name.s.read Alias.s.readwrite Class.u.read Appearance.q.read Icon.s.read Paired.b.read Bonded.b.read Trusted.b.readwrite Blocked.b.readwrite LegacyPairing.b.read RSSI.n.read Connected.b.read UUIDs.as.read Modalias.s.read Adapter.o.read ManufacturerData.a{qv}.read ServiceData.a{sv}.read TxPower.n.read ServicesResolved.b.read AdvertisingFlags.ay.read AdvertisingData.a{yv}.read WakeAllowed.b.readwrite Sets.a{oa{sv}}.read PreferredBearer.s.readwrite
                @5.87 TWINS Device1: Disconnect Connect ConnectProfile s=UUID DisconnectProfile s=UUID Pair CancelPairing GetServiceRecords ->aay=Records Disconnected s=name s=message Address.s.read AddressType.s.read Name.s.read Alias.s.readwrite Class.u.read Appearance.q.read Icon.s.read Paired.b.read Bonded.b.read Trusted.b.readwrite Blocked.b.readwrite LegacyPairing.b.read CablePairing.b.read RSSI.n.read Connected.b.read UUIDs.as.read Modalias.s.read Adapter.o.read ManufacturerData.a{qv}.read ServiceData.a{sv}.read TxPower.n.read ServicesResolved.b.read AdvertisingFlags.ay.read AdvertisingData.a{yv}.read WakeAllowed.b.readwrite Sets.a{oa{sv}}.read PreferredBearer.s.readwrite
                TWINS Properties: Get s=interface s=name ->v=value Set s=interface s=name v=value GetAll s=interface ->a{sv}=properties PropertiesChanged s=interface a{sv}=changed_properties as=invalidated_properties
                @5.87 TWINS LE1: Connect Disconnect Disconnected s=name s=message Adapter.o.read Paired.b.read Bonded.b.read Connected.b.read
                TWINS/ffd0 Introspectable: Introspect ->s=xml
                @5.66 TWINS/ffd0 GattService1: UUID.s.read Device.o.read Primary.b.read Includes.ao.read
                @5.82+ TWINS/ffd0 GattService1: Handle.q.read UUID.s.read Device.o.read Primary.b.read Includes.ao.read
                TWINS/ffd0 Properties: Get s=interface s=name ->v=value Set s=interface s=name v=value GetAll s=interface ->a{sv}=properties PropertiesChanged s=interface a{sv}=changed_properties as=invalidated_properties
                TWINS/ffd0/ffd1 Introspectable: Introspect ->s=xml
                @5.66 TWINS/ffd0/ffd1 GattCharacteristic1: ReadValue a{sv}=options ->ay=value WriteValue ay=value a{sv}=options AcquireWrite a{sv}=options ->h=fd ->q=mtu AcquireNotify a{sv}=options ->h=fd ->q=mtu StartNotify StopNotify UUID.s.read Service.o.read Value.ay.read Notifying.b.read Flags.as.read WriteAcquired.b.read NotifyAcquired.b.read MTU.q.read
                @5.82+ TWINS/ffd0/ffd1 GattCharacteristic1: ReadValue a{sv}=options ->ay=value WriteValue ay=value a{sv}=options AcquireWrite a{sv}=options ->h=fd ->q=mtu AcquireNotify a{sv}=options ->h=fd ->q=mtu StartNotify StopNotify Handle.q.read UUID.s.read Service.o.read Value.ay.read Notifying.b.read Flags.as.read WriteAcquired.b.read NotifyAcquired.b.read MTU.q.read
                TWINS/ffd0/ffd1 Properties: Get s=interface s=name ->v=value Set s=interface s=name v=value GetAll s=interface ->a{sv}=properties PropertiesChanged s=interface a{sv}=changed_properties as=invalidated_properties
                TWINS/1801/2a05/2902 Introspectable: Introspect ->s=xml
                @5.66 TWINS/1801/2a05/2902 GattDescriptor1: ReadValue a{sv}=options ->ay=value WriteValue ay=value a{sv}=options UUID.s.read Characteristic.o.read Value.ay.read
                @5.82+ TWINS/1801/2a05/2902 GattDescriptor1: ReadValue a{sv}=options ->ay=value WriteValue ay=value a{sv}=options Handle.q.read UUID.s.read Characteristic.o.read Value.ay.read
                TWINS/1801/2a05/2902 Properties: Get s=interface s=name ->v=value Set s=interface s=name v=value GetAll s=interface ->a{sv}=properties PropertiesChanged s=interface a{sv}=changed_properties as=invalidated_properties
                """
        ) { trial in
            for object in ["/", "/org/bluez", "hci0", "TWINS", "TWINS/ffd0", "TWINS/ffd0/ffd1", "TWINS/1801/2a05/2902"]
            {
                trial.first.introspect(object)
            }
        },
    ]

    private static let fewerInterfaces = Difference(
        """
        ProfileManager1, HealthManager1, Media1, NetworkServer1 and SimAccess1 are for Bluetooth classic and audio. \
        BatteryProviderManager1 is for programs that provide battery levels. A Bluetooth LE central uses none of them.
        """,
        transcript: """
            /org/bluez: Introspectable AgentManager1
            hci0: Introspectable Adapter1 Properties GattManager1 AdvertisementMonitorManager1 LEAdvertisingManager1
            @5.66,5.82 TWINS: Introspectable Device1 Properties
            @5.87 TWINS: Introspectable Device1 Properties LE1
            TWINS/ffd0#2: Introspectable GattService1 Properties
            TWINS/ffd0#2/ffd1: Introspectable GattCharacteristic1 Properties
            TWINS/ffd0: Introspectable GattService1 Properties
            TWINS/ffd0/ffd1: Introspectable GattCharacteristic1 Properties
            TWINS/1801: Introspectable GattService1 Properties
            TWINS/1801/2b2a: Introspectable GattCharacteristic1 Properties
            TWINS/1801/2b29: Introspectable GattCharacteristic1 Properties
            TWINS/1801/2a05: Introspectable GattCharacteristic1 Properties
            TWINS/1801/2a05/2902: Introspectable GattDescriptor1 Properties
            @5.82+ TWINS/1800: Introspectable GattService1 Properties
            @5.82+ TWINS/1800/2a01: Introspectable GattCharacteristic1 Properties
            @5.82+ TWINS/1800/2a00: Introspectable GattCharacteristic1 Properties
            """)
}
