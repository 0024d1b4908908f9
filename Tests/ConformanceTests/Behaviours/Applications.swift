import DBus

extension Behaviour {
    private static let none: [String: Value] = [:]

    private static func service(_ path: ObjectPath, _ changes: [String: Value?] = [:]) -> ServedObject {
        ServedObject(
            path, "GattService1", merged(["UUID": .string("fff0"), "Primary": .bool(true)], changes))
    }

    private static func characteristic(
        _ path: ObjectPath, of service: ObjectPath, _ changes: [String: Value?] = [:]
    ) -> ServedObject {
        ServedObject(
            path, "GattCharacteristic1",
            merged(
                ["UUID": .string("fff1"), "Service": .objectPath(service), "Flags": .strings(["read"])], changes))
    }

    private static func descriptor(
        _ path: ObjectPath, of characteristic: ObjectPath, _ changes: [String: Value?] = [:]
    ) -> ServedObject {
        ServedObject(
            path, "GattDescriptor1",
            merged(
                ["UUID": .string("2901"), "Characteristic": .objectPath(characteristic), "Flags": .strings(["read"])],
                changes))
    }

    private static func merged(_ properties: [String: Value], _ changes: [String: Value?]) -> [String: Value] {
        var merged = properties
        for (name, value) in changes { merged[name] = value }
        return merged
    }

    /// Invalid GATT applications, and unusual ones that bluetoothd accepts, each with a description.
    private static let odd: [(name: String, objects: [ServedObject])] = [
        ("no objects", []),
        ("another interface", [ServedObject("/a/s", "Thing1")]),
        ("a service without UUID", [service("/a/s", ["UUID": nil])]),
        ("a service with an invalid UUID", [service("/a/s", ["UUID": .string("nonsense")])]),
        ("a service with a UUID of another type", [service("/a/s", ["UUID": .uint16(0xFFF0)])]),
        ("the GAP service", [service("/a/s", ["UUID": .string("1800")])]),
        ("the GATT service", [service("/a/s", ["UUID": .string("00001801-0000-1000-8000-00805f9b34fb")])]),
        ("a service without Primary", [service("/a/s", ["Primary": nil])]),
        ("a service with Primary of another type", [service("/a/s", ["Primary": .string("yes")])]),
        ("a secondary service", [service("/a/s", ["Primary": .bool(false)])]),
        ("Includes of another type", [service("/a/s", ["Includes": .strings(["/a/s"])])]),
        ("Includes of a missing object", [service("/a/s", ["Includes": .array(of: "o", [.objectPath("/nowhere")])])]),
        ("a Handle of another type", [service("/a/s", ["Handle": .uint32(0)])]),
        ("a Handle that is taken", [service("/a/s", ["Handle": .uint16(1)])]),
        (
            "a Handle without free handles after it",
            [service("/a/s", ["Handle": .uint16(0xFFFF)]), characteristic("/a/s/c", of: "/a/s")]
        ),
        ("a characteristic without a service", [characteristic("/a/s/c", of: "/a/s")]),
        ("no Flags", [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["Flags": nil])]),
        ("empty Flags", [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["Flags": .strings([])])]),
        (
            "unknown Flags",
            [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["Flags": .strings(["read", "x"])])]
        ),
        ("Flags of another type", [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["Flags": .string("read")])]),
        ("no Service", [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["Service": nil])]),
        ("an unknown Service", [service("/a/s"), characteristic("/a/s/c", of: "/a/x")]),
        (
            "a Service of another type",
            [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["Service": .string("/a/s")])]
        ),
        ("a characteristic before its service", [characteristic("/a/s/c", of: "/a/s"), service("/a/s")]),
        ("a characteristic without UUID", [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["UUID": nil])]),
        (
            "a characteristic with an invalid UUID",
            [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["UUID": .string("1234567")])]
        ),
        (
            "a characteristic with its service's handle",
            [
                service("/a/s", ["Handle": .uint16(0x2000)]),
                characteristic("/a/s/c", of: "/a/s", ["Handle": .uint16(0x2000)]),
            ]
        ),
        (
            "a characteristic with the last handle",
            [service("/a/s"), characteristic("/a/s/c", of: "/a/s", ["Handle": .uint16(0xFFFF)])]
        ),
        (
            "two characteristics with one handle",
            [
                service("/a/s", ["Handle": .uint16(0x3000)]),
                characteristic("/a/s/c", of: "/a/s", ["Handle": .uint16(0x3002)]),
                characteristic("/a/s/d", of: "/a/s", ["Handle": .uint16(0x3002)]),
            ]
        ),
        (
            "two services with one handle",
            [
                service("/a/s", ["Handle": .uint16(0x4000)]),
                service("/a/t", ["Handle": .uint16(0x4000), "UUID": .string("fff9")]),
            ]
        ),
        (
            "a descriptor without Flags",
            [
                service("/a/s"), characteristic("/a/s/c", of: "/a/s"),
                descriptor("/a/s/c/d", of: "/a/s/c", ["Flags": nil]),
            ]
        ),
        (
            "a descriptor with a characteristic's flag",
            [
                service("/a/s"), characteristic("/a/s/c", of: "/a/s"),
                descriptor("/a/s/c/d", of: "/a/s/c", ["Flags": .strings(["notify"])]),
            ]
        ),
        (
            "a descriptor of an unknown characteristic",
            [service("/a/s"), characteristic("/a/s/c", of: "/a/s"), descriptor("/a/s/c/d", of: "/a/s/x")]
        ),
        (
            "a descriptor with an invalid UUID",
            [
                service("/a/s"), characteristic("/a/s/c", of: "/a/s"),
                descriptor("/a/s/c/d", of: "/a/s/c", ["UUID": .string("")]),
            ]
        ),
        ("a profile without UUIDs", [ServedObject("/a/p", "GattProfile1")]),
        ("a profile with an empty list of UUIDs", [ServedObject("/a/p", "GattProfile1", ["UUIDs": .strings([])])]),
        ("a profile with UUIDs of another type", [ServedObject("/a/p", "GattProfile1", ["UUIDs": .string("fff0")])]),
        ("a profile with an invalid UUID", [ServedObject("/a/p", "GattProfile1", ["UUIDs": .strings(["nonsense"])])]),
        (
            "a profile and an invalid service",
            [ServedObject("/a/p", "GattProfile1", ["UUIDs": .strings(["fff0"])]), service("/a/s", ["UUID": nil])]
        ),
    ]

    /// Behaviours of the registration of GATT applications.
    static let applications = [
        Behaviour(
            "RegisterApplication assigns handles and adds the UUIDs of services", 25,
            transcript: """
                called /a GetManagedObjects
                called /a/s Set org.bluez.GattService1 Handle the first handle
                called /a/s/c Set org.bluez.GattCharacteristic1 Handle the first handle + 2
                called /a/s/n Set org.bluez.GattCharacteristic1 Handle the first handle + 4
                called /a/s/n/d Set org.bluez.GattDescriptor1 Handle the first handle + 7
                hci0 Adapter1 UUIDs=[built-in, fff0]
                called /a/t Set org.bluez.GattService1 Handle the first handle + 9
                called /a/t/c Set org.bluez.GattCharacteristic1 Handle the first handle + 12
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 RegisterApplication /a {} -> ok
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 RegisterApplication /a {} -> error org.bluez.Error.AlreadyExists "Already Exists"
                hci0 Adapter1 UUIDs=[built-in]
                hci0 UnregisterApplication /a -> ok
                hci0 Adapter1 UUIDs=[built-in]
                hci0 UnregisterApplication /a -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                """
        ) { trial in
            let zero: [String: Value?] = ["Handle": .uint16(0)]
            let served = trial.first.serve(
                "/a",
                [
                    service("/a/s", zero),
                    characteristic("/a/s/c", of: "/a/s", zero),
                    characteristic(
                        "/a/s/n", of: "/a/s",
                        [
                            "Handle": .uint16(0), "UUID": .string("fff2"),
                            "Flags": .strings(["notify", "reliable-write"]),
                        ]),
                    descriptor("/a/s/n/d", of: "/a/s/n", zero),
                    descriptor("/a/s/n/e", of: "/a/s/n", ["UUID": .string("2904")]),
                    service(
                        "/a/t",
                        [
                            "Handle": .uint16(0), "UUID": .string("180a"),
                            "Includes": .array(of: "o", [.objectPath("/a/s")]),
                        ]),
                    characteristic("/a/t/c", of: "/a/t", zero),
                ])
            trial.first.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.pass(.seconds(1))
            trial.flush()
            trial.first.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            trial.pass(.seconds(1))
            trial.flush()
            trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            served.end()
        },
        Behaviour(
            "RegisterApplication accepts services with existing and equal UUIDs", 25,
            transcript: """
                called /a GetManagedObjects
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 RegisterApplication /a {} -> ok
                hci0 Adapter1 UUIDs=[built-in, fff0]
                hci0 Adapter1 UUIDs=[built-in]
                hci0 UnregisterApplication /a -> ok
                hci0 Adapter1 UUIDs=[built-in]
                """
        ) { trial in
            let served = trial.first.serve(
                "/a",
                [
                    service("/a/s", ["UUID": .string("180a")]), service("/a/t"),
                    service("/a/u", ["UUID": .string("0000fff0")]),
                ])
            trial.first.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.pass(.seconds(1))
            trial.flush()
            trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            trial.pass(.seconds(1))
            served.end()
        },
        Behaviour(
            "The services of an application are removed when its client leaves", 116,
            transcript: """
                hci0 Adapter1 UUIDs=[built-in, fff0] …
                B: called /a GetManagedObjects
                B: hci0 RegisterApplication /a {} -> ok
                hci0 Adapter1 UUIDs=[built-in] …
                """
        ) { trial in
            let other = trial.another("B")
            let served = other.serve("/a", [service("/a/s")])
            other.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.pass(.seconds(1))
            trial.flush()
            other.leave()
            trial.pass(.seconds(1))
            trial.flush()
            served.end()
        },
        Behaviour(
            "An application with only a profile adds no UUIDs", 25,
            transcript: """
                called /a GetManagedObjects
                hci0 RegisterApplication /a {} -> ok
                @5.66 hci0 Get org.bluez.Adapter1 UUIDs -> [112d, 110e, 1200, 110c, 1800, 1801, 1844, 180a]
                @5.82 hci0 Get org.bluez.Adapter1 UUIDs -> [184f, 1200, 110e, 110c, 1800, 1843, 1801, 1844, 180a, 184d, 1845, 112d]
                @5.87 hci0 Get org.bluez.Adapter1 UUIDs -> [184f, 1200, 110e, 185b, 110c, 1800, 1843, 1801, 1844, 180a, 184d, 1845, 1849]
                hci0 UnregisterApplication /a -> ok
                """
        ) { trial in
            let served = trial.first.serve(
                "/a", [ServedObject("/a/p", "GattProfile1", ["UUIDs": .strings(["fff0", "180d"])])])
            trial.first.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.pass(.seconds(1))
            trial.flush()
            trial.first.get("hci0", "Adapter1", "UUIDs")
            trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            trial.pass(.seconds(1))
            trial.flush()
            served.end()
        },
        Behaviour(
            "RegisterApplication refuses invalid applications", 116,
            transcript: """
                1. no objects -> error org.bluez.Error.Failed "No object received"
                2. another interface -> error org.bluez.Error.Failed "No valid service object found"
                3. a service without UUID -> error org.bluez.Error.Failed "Failed to create entry in database"
                4. a service with an invalid UUID -> error org.bluez.Error.Failed "Failed to create entry in database"
                5. a service with a UUID of another type -> error org.bluez.Error.Failed "Failed to create entry in database"
                6. the GAP service -> error org.bluez.Error.Failed "Failed to create entry in database"
                7. the GATT service -> error org.bluez.Error.Failed "Failed to create entry in database"
                8. a service without Primary -> error org.bluez.Error.Failed "Failed to create entry in database"
                9. a service with Primary of another type -> error org.bluez.Error.Failed "Failed to create entry in database"
                10. a secondary service -> ok
                11. Includes of another type -> error org.bluez.Error.Failed "Failed to create entry in database"
                12. Includes of a missing object -> ok
                13. a Handle of another type -> error org.bluez.Error.Failed "Failed to create entry in database"
                14. a Handle that is taken -> error org.bluez.Error.Failed "Failed to create entry in database"
                15. a Handle without free handles after it -> error org.bluez.Error.Failed "Failed to create entry in database"
                16. a characteristic without a service -> error org.bluez.Error.Failed "No valid service object found"
                17. no Flags -> error org.bluez.Error.Failed "No valid service object found"
                18. empty Flags -> error org.bluez.Error.Failed "No valid service object found"
                19. unknown Flags -> error org.bluez.Error.Failed "No valid service object found"
                20. Flags of another type -> error org.bluez.Error.Failed "No valid service object found"
                21. no Service -> error org.bluez.Error.Failed "No valid service object found"
                22. an unknown Service -> error org.bluez.Error.Failed "No valid service object found"
                23. a Service of another type -> error org.bluez.Error.Failed "No valid service object found"
                24. a characteristic before its service -> ok
                25. a characteristic without UUID -> error org.bluez.Error.Failed "Failed to create entry in database"
                26. a characteristic with an invalid UUID -> error org.bluez.Error.Failed "Failed to create entry in database"
                27. a characteristic with its service's handle -> error org.bluez.Error.Failed "Failed to create entry in database"
                28. a characteristic with the last handle -> error org.bluez.Error.Failed "Failed to create entry in database"
                29. two characteristics with one handle -> ok
                30. two services with one handle -> error org.bluez.Error.Failed "Failed to create entry in database"
                31. a descriptor without Flags -> error org.bluez.Error.Failed "No valid service object found"
                32. a descriptor with a characteristic's flag -> error org.bluez.Error.Failed "No valid service object found"
                33. a descriptor of an unknown characteristic -> error org.bluez.Error.Failed "No valid service object found"
                34. a descriptor with an invalid UUID -> error org.bluez.Error.Failed "Failed to create entry in database"
                35. a profile without UUIDs -> error org.bluez.Error.Failed "No valid service object found"
                36. a profile with an empty list of UUIDs -> error org.bluez.Error.Failed "No valid service object found"
                37. a profile with UUIDs of another type -> error org.bluez.Error.Failed "No valid service object found"
                38. a profile with an invalid UUID -> ok
                39. a profile and an invalid service -> error org.bluez.Error.Failed "Failed to create entry in database"
                """
        ) { trial in
            trial.first.signalFilter.set([], [])
            for (index, application) in odd.enumerated() {
                let served = trial.first.serve("/a", application.objects, noting: false)
                let reply = trial.first.call(
                    "hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none, noting: false)
                trial.first.eventLog.write("\(index + 1). \(application.name) -> \(reply.line(trial.names))")
                trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"), noting: false)
                served.end()
            }
            trial.flush()
        },
        Behaviour(
            "RegisterApplication fails without an object manager", 116,
            transcript: """
                called /a GetManagedObjects
                hci0 RegisterApplication /a {} -> error org.bluez.Error.Failed "No object received"
                hci0 RegisterApplication /nowhere {} -> error org.bluez.Error.Failed "No object received"
                hci0 UnregisterApplication /a -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                """
        ) { trial in
            let served = trial.first.serve("/a", [service("/a/s")], hasManager: false)
            trial.first.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/a"), none)
            trial.first.call("hci0", "GattManager1.RegisterApplication", Value.objectPath("/nowhere"), none)
            trial.first.call("hci0", "GattManager1.UnregisterApplication", Value.objectPath("/a"))
            served.end()
        },
    ]
}
