import DBus
import RxBluetoothMocks

extension Behaviour {
    private static let invalidFilters: [[String: Value]] = [
        ["Bogus": .string("x")], ["Transport": .string("zz")], ["Transport": .uint32(1)], ["RSSI": .int16(-300)],
        ["RSSI": .int32(-80)], ["UUIDs": .strings(["nonsense"])], ["UUIDs": .string("180d")],
        ["RSSI": .int16(-80), "Pathloss": .uint16(20)], ["Pathloss": .uint16(138)], ["DuplicateData": .string("yes")],
        ["Pattern": .bytes([1])],
    ]

    private static let crash: [Version: String] = [
        .v5_87: "bluetoothd 5.87 crashes when an advertisement arrives and a discovery filter contains UUIDs."
    ]

    /// Behaviours of the discovery filters of one client and of several clients.
    static let filters = [
        Behaviour(
            "Discovery filters are listed, set and cleared", 69,
            transcript: """
                @5.66,5.82 hci0 GetDiscoveryFilters -> [UUIDs, RSSI, Pathloss, Transport, DuplicateData, Discoverable, Pattern]
                @5.87 hci0 GetDiscoveryFilters -> [UUIDs, RSSI, Pathloss, Transport, DuplicateData, Discoverable, Pattern, AutoConnect]
                hci0 SetDiscoveryFilter {Transport: le} -> ok
                hci0 SetDiscoveryFilter {} -> ok
                hci0 SetDiscoveryFilter -> error org.freedesktop.DBus.Error.UnknownMethod "Method "SetDiscoveryFilter" with signature "" on interface "org.bluez.Adapter1" doesn't exist\\u{a}"
                """
        ) { trial in
            trial.first.call("hci0", "Adapter1.GetDiscoveryFilters")
            trial.first.call("hci0", "Adapter1.SetDiscoveryFilter", ["Transport": Value.string("le")])
            trial.first.call("hci0", "Adapter1.SetDiscoveryFilter", [String: Value]())
            trial.first.call("hci0", "Adapter1.SetDiscoveryFilter")
        },
        Behaviour(
            "Invalid discovery filters fail with InvalidArguments", 46,
            transcript: """
                hci0 SetDiscoveryFilter {Bogus: x} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {Transport: zz} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {Transport: 1} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {RSSI: -300} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {RSSI: -80} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {UUIDs: [nonsense]} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {UUIDs: 180d} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {Pathloss: 20, RSSI: -80} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {Pathloss: 138} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {DuplicateData: yes} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                hci0 SetDiscoveryFilter {Pattern: <01>} -> error org.bluez.Error.InvalidArguments "Invalid arguments in method call"
                """
        ) { trial in
            for filter in invalidFilters { trial.first.call("hci0", "Adapter1.SetDiscoveryFilter", filter) }
        },
        Behaviour(
            "A filter for UUIDs hides devices that do not advertise them", 43, 44,
            transcript: """
                hci0 Adapter1 Discovering=true
                devices: TWINS
                """,
            excluding: crash
        ) { trial in
            trial.scan(["Transport": .string("le"), "UUIDs": .strings(["ffd0"])])
            trial.wait { trial.names.isPresent("TWINS") }
            trial.pass(.seconds(2))
            trial.list()
        },
        Behaviour(
            "The filters of two clients are merged", 43,
            transcript: """
                hci0 Adapter1 Discovering=true
                B: hci0 SetDiscoveryFilter {UUIDs: [fff0]} -> ok
                B: hci0 StartDiscovery -> ok
                devices: SECURE, TWINS
                """,
            excluding: crash
        ) { trial in
            let other = trial.another("B")
            trial.scan(["Transport": .string("le"), "UUIDs": .strings(["ffd0"])])
            other.call("hci0", "Adapter1.SetDiscoveryFilter", ["UUIDs": Value.strings(["fff0"])])
            other.call("hci0", "Adapter1.StartDiscovery")
            trial.wait { trial.names.isPresent("TWINS") && trial.names.isPresent("SECURE") }
            trial.pass(.seconds(2))
            trial.list()
        },
        Behaviour(
            "A scan without a filter overrides the Transport of another client", 43,
            transcript: """
                B: hci0 StartDiscovery -> ok
                hci0 SetDiscoveryFilter {Transport: bredr} -> ok
                hci0 StartDiscovery -> ok
                devices: FLAKY, HRM-0, HRM-1, HRM-2, LOUD, SECURE, TWINS, hostile
                """
        ) { trial in
            let other = trial.another("B")
            // Hides Discovering, because bluetoothd restarts the scan when the filter changes.
            trial.first.signalFilter.set(["hci0"], ["Discovering"])
            // Client B scans without a filter: a scan for BR/EDR alone would fail, as this adapter supports only LE.
            other.call("hci0", "Adapter1.StartDiscovery")
            trial.flush()
            trial.first.call("hci0", "Adapter1.SetDiscoveryFilter", ["Transport": Value.string("bredr")])
            trial.first.call("hci0", "Adapter1.StartDiscovery")
            trial.wait { ObjectNames.peripherals.values.allSatisfy(trial.names.isPresent) }
            trial.list()
            // Waits between the stops: the second one must not coincide with a restart of the scan. bluetoothd restarts
            // it for the new filter up to 1 s after the first stop.
            trial.aside {
                trial.first.call("hci0", "Adapter1.StopDiscovery", noting: false)
                trial.pass(.seconds(2))
                other.call("hci0", "Adapter1.StopDiscovery", noting: false)
            }
        },
        Behaviour(
            "The Pattern of one client can hide new devices from all clients", 44,
            transcript: """
                @5.66,5.87 devices: LOUD
                @5.82 devices: FLAKY, HRM-0, HRM-1, HRM-2, LOUD, SECURE, TWINS, hostile
                """
        ) { trial in
            let other = trial.another("B")
            trial.forgetDevices()
            trial.aside {
                other.call("hci0", "Adapter1.SetDiscoveryFilter", ["Pattern": Value.string("LOU")])
                other.call("hci0", "Adapter1.StartDiscovery")
                trial.scan()
                // Hides Discovering: the changed filter restarts the scan, and the speed of the machine decides whether
                // that is signalled.
                trial.first.signalFilter.set(["hci0"], ["Discovering"])
            }
            trial.wait { trial.names.isPresent("LOUD") }
            trial.pass(.seconds(2))
            trial.list()
        },
        Behaviour(
            "A filter that is set during a scan takes effect at once", 69,
            transcript: """
                hci0 Adapter1 Discovering=true
                devices: TWINS
                hci0 SetDiscoveryFilter {UUIDs: [fff0]} -> ok
                devices: SECURE, TWINS
                """,
            excluding: crash
        ) { trial in
            trial.scan(["Transport": .string("le"), "UUIDs": .strings(["ffd0"])])
            trial.wait { trial.names.isPresent("TWINS") }
            trial.list()
            trial.first.call("hci0", "Adapter1.SetDiscoveryFilter", ["UUIDs": Value.strings(["fff0"])])
            trial.wait { trial.names.isPresent("SECURE") }
            trial.pass(.seconds(2))
            trial.list()
        },
        Behaviour(
            "The DuplicateData of one client applies to all clients", 48,
            transcript: """
                TWINS Device1 RSSI=# ManufacturerData={76: <01 02 03 04 05>} …
                B: hci0 SetDiscoveryFilter {DuplicateData: true} -> ok
                B: hci0 StartDiscovery -> ok
                """
        ) { trial in
            let other = trial.another("B")
            trial.watch("TWINS")
            trial.aside {
                trial.scan(["Transport": .string("le")])
                trial.wait { trial.names.isPresent("TWINS") }
            }
            other.call("hci0", "Adapter1.SetDiscoveryFilter", ["DuplicateData": Value.bool(true)])
            other.call("hci0", "Adapter1.StartDiscovery")
            trial.first.until("ManufacturerData", times: 3)
        },
        Behaviour(
            "A filter that no device matches can hide all devices", 43,
            transcript: """
                hci0 SetDiscoveryFilter {RSSI: 20, Transport: le} -> ok
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                devices: none
                hci0 SetDiscoveryFilter {Pattern: no such name, Transport: le} -> ok
                hci0 StartDiscovery -> ok
                hci0 Adapter1 Discovering=true
                @5.66,5.87 devices: none
                @5.82 devices: FLAKY, HRM-0, HRM-1, HRM-2, LOUD, SECURE, TWINS, hostile
                """
        ) { trial in
            let filters: [[String: Value]] = [
                ["Transport": .string("le"), "RSSI": .int16(20)],
                ["Transport": .string("le"), "Pattern": .string("no such name")],
            ]
            for filter in filters {
                trial.first.call("hci0", "Adapter1.SetDiscoveryFilter", filter)
                trial.first.call("hci0", "Adapter1.StartDiscovery")
                trial.pass(.seconds(2))
                trial.list()
                trial.aside {
                    trial.first.call("hci0", "Adapter1.StopDiscovery", noting: false)
                    trial.pass(.milliseconds(300))
                }
            }
        },
    ]
}
