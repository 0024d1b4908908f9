import DBus

extension Behaviour {
    /// Behaviours of discovery sessions and advertisements.
    static let discovery = [
        Behaviour(
            "StartDiscovery and StopDiscovery reply and change Discovering",
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                hci0 StopDiscovery -> ok
                hci0 Adapter1 Discovering=false
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            trial.flush()
            trial.first.call("hci0", "Adapter1.StopDiscovery")
            trial.first.until("Discovering=false")
        },
        Behaviour(
            "A second StartDiscovery of one client fails with InProgress", 37,
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                hci0 StartDiscovery -> error org.bluez.Error.InProgress "Operation already in progress"
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            trial.first.call("hci0", "Adapter1.StartDiscovery")
        },
        Behaviour(
            "StopDiscovery without a session fails", 39,
            transcript: """
                hci0 StopDiscovery -> error org.bluez.Error.Failed "No discovery started"
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.StopDiscovery")
        },
        Behaviour(
            "Two clients have separate discovery sessions", 40,
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                B: hci0 StartDiscovery -> ok
                hci0 StopDiscovery -> ok
                hci0 Get org.bluez.Adapter1 Discovering -> true
                hci0 Adapter1 Discovering=false
                B: hci0 StopDiscovery -> ok
                """
        ) { trial in
            let other = trial.another("B")
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            other.call("hci0", "Adapter1.StartDiscovery")
            trial.flush()
            trial.first.call("hci0", "Adapter1.StopDiscovery")
            trial.first.get("hci0", "Adapter1", "Discovering")
            trial.flush()
            other.call("hci0", "Adapter1.StopDiscovery")
            trial.first.until("Discovering=false")
        },
        Behaviour(
            "A discovery session ends when its client leaves the bus", 37,
            transcript: """
                hci0 Adapter1 Discovering=true
                B: hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=false
                """
        ) { trial in
            let other = trial.another("B")
            other.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            trial.flush()
            other.leave()
            trial.first.until("Discovering=false")
        },
        Behaviour(
            "The exit of a client with only a filter stops another client's scan", 125,
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                B: hci0 SetDiscoveryFilter {Transport: le} -> ok
                hci0 Adapter1 Discovering=false
                hci0 StartDiscovery -> error org.bluez.Error.InProgress "Operation already in progress"
                hci0 Adapter1 Discovering=false
                hci0 StopDiscovery -> ok
                """
        ) { trial in
            let other = trial.another("B")
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            other.call("hci0", "Adapter1.SetDiscoveryFilter", ["Transport": Value.string("le")])
            trial.flush()
            other.leave()
            trial.first.until("Discovering=false")
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.call("hci0", "Adapter1.StopDiscovery")
        },
        Behaviour(
            "The exit of a client with only a filter disturbs no two scans", 125,
            transcript: """
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                B: hci0 StartDiscovery -> ok
                C: hci0 SetDiscoveryFilter {Transport: le} -> ok
                hci0 Get org.bluez.Adapter1 Discovering -> true
                """
        ) { trial in
            let (other, leaving) = (trial.another("B"), trial.another("C"))
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("Discovering=true")
            other.call("hci0", "Adapter1.StartDiscovery")
            leaving.call("hci0", "Adapter1.SetDiscoveryFilter", ["Transport": Value.string("le")])
            trial.flush()
            leaving.leave()
            trial.pass(.seconds(2))
            trial.first.get("hci0", "Adapter1", "Discovering")
        },
        Behaviour(
            "A discovered device has these properties and types", 20, 48,
            transcript: """
                @5.66,5.82 added TWINS: Introspectable Device1 Properties
                @5.87 added TWINS: Introspectable Device1 Properties LE1
                TWINS Device1 Address s F0:F1:F2:F3:F4:10
                TWINS Device1 AddressType s random
                TWINS Device1 Name s TWINS
                TWINS Device1 Alias s TWINS
                TWINS Device1 Paired b false
                TWINS Device1 Bonded b false
                TWINS Device1 Trusted b false
                TWINS Device1 Blocked b false
                TWINS Device1 LegacyPairing b false
                @5.87 TWINS Device1 CablePairing b false
                TWINS Device1 RSSI n #
                TWINS Device1 Connected b false
                TWINS Device1 UUIDs as [ffd0]
                TWINS Device1 Adapter o hci0
                TWINS Device1 ManufacturerData a{qv} {76: <01 02 03 04 05>}
                TWINS Device1 ServicesResolved b false
                TWINS Device1 AdvertisingFlags ay <06>
                hostile Device1 Address s F0:F1:F2:F3:F4:14
                hostile Device1 AddressType s random
                hostile Device1 Name s \\u{1b}[31mEVIL\\u{1b}[0m\\u{202e}\\u{9}\\u{200b}
                hostile Device1 Alias s \\u{1b}[31mEVIL\\u{1b}[0m\\u{202e}\\u{9}\\u{200b}
                hostile Device1 Paired b false
                hostile Device1 Bonded b false
                hostile Device1 Trusted b false
                hostile Device1 Blocked b false
                hostile Device1 LegacyPairing b false
                @5.87 hostile Device1 CablePairing b false
                hostile Device1 RSSI n #
                hostile Device1 Connected b false
                hostile Device1 UUIDs as []
                hostile Device1 Adapter o hci0
                hostile Device1 ServicesResolved b false
                hostile Device1 AdvertisingFlags ay <06>
                """
        ) { trial in
            trial.watch("TWINS", hiding: ["RSSI", "ManufacturerData"])
            trial.find("TWINS", "hostile")
            trial.flush()
            trial.first.describe("TWINS", "Device1")
            trial.first.describe("hostile", "Device1")
        },
        Behaviour(
            "The end of a scan invalidates RSSI", 54,
            transcript: """
                hci0 StopDiscovery -> ok
                TWINS Device1 invalidated RSSI
                hci0 Adapter1 Discovering=false
                """
        ) { trial in
            trial.aside { trial.find("TWINS") }
            trial.watch("hci0", "TWINS", hiding: ["RSSI", "ManufacturerData"])
            trial.first.call("hci0", "Adapter1.StopDiscovery")
            trial.first.until("Discovering=false")
        },
        Behaviour(
            "With DuplicateData, each packet causes a signal", 48, 52,
            transcript: """
                TWINS Device1 RSSI=# ManufacturerData={76: <01 02 03 04 05>} …
                """
        ) { trial in
            trial.aside { trial.find("TWINS") }
            trial.watch("TWINS")
            trial.first.until("ManufacturerData", times: 3)
        },
        Behaviour(
            "Without a filter, a repeated packet causes no signal", 50,
            transcript: """
                hci0 StartDiscovery -> ok
                @5.66,5.82 added TWINS: Introspectable Device1 Properties
                @5.87 added TWINS: Introspectable Device1 Properties LE1
                """
        ) { trial in
            trial.watch("TWINS")
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.wait { trial.names.isPresent("TWINS") }
            trial.pass(.seconds(3))
        },
        Behaviour(
            "With an RSSI filter, each packet signals its RSSI", 47,
            transcript: """
                TWINS Device1 RSSI=# …
                """
        ) { trial in
            trial.aside {
                trial.scan(["Transport": .string("le"), "RSSI": .int16(-127)])
                trial.wait { trial.names.isPresent("TWINS") }
            }
            trial.watch("TWINS")
            trial.first.until("RSSI", times: 3)
        },
    ]
}
