extension Behaviour {
    /// Objects, interfaces and properties.
    static let objects = [
        Behaviour(
            "the adapter's properties and their types",
            transcript: """
                hci0 Adapter1 Address s 00:AA:01:00:00:01
                hci0 Adapter1 AddressType s public
                hci0 Adapter1 Name s BlueZ 5.66
                hci0 Adapter1 Alias s BlueZ 5.66
                hci0 Adapter1 Class u 0
                hci0 Adapter1 Powered b true
                hci0 Adapter1 PowerState s on
                hci0 Adapter1 Discoverable b false
                hci0 Adapter1 DiscoverableTimeout u 180
                hci0 Adapter1 Pairable b false
                hci0 Adapter1 PairableTimeout u 0
                hci0 Adapter1 Discovering b false
                hci0 Adapter1 UUIDs as [112d, 110e, 1200, 110c, 1800, 1801, 1844, 180a]
                hci0 Adapter1 Modalias s usb:v1D6Bp0246d0542
                hci0 Adapter1 Roles as [central, peripheral]
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
        }
    ]
}
