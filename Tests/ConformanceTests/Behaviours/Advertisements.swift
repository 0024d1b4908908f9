import DBus

extension Behaviour {
    private static let none: [String: Value] = [:]

    private static func companies(_ data: [(UInt16, Value)]) -> Value {
        .dictionary(key: "q", value: "v", data.map { Value.Entry(.uint16($0.0), .variant($0.1)) })
    }

    private static func fields(_ data: [(UInt8, Value)]) -> Value {
        .dictionary(key: "y", value: "v", data.map { Value.Entry(.byte($0.0), .variant($0.1)) })
    }

    private static func bytes(_ count: Int) -> Value { .bytes([UInt8](repeating: 7, count: count)) }

    private static func text(_ properties: [String: Value], _ names: ObjectNames) -> String {
        properties.value.line(names)
    }

    private static let long = "12345678-1234-5678-1234-56789abcdef0"

    /// Invalid advertisements, and unusual ones that bluetoothd accepts.
    private static let odd: [[String: Value]] = [
        [:],
        ["Type": .string("poster")],
        ["Type": .uint16(1)],
        ["Type": .string("peripheral"), "Bogus": .string("x")],
        ["ServiceUUIDs": .strings(["180d", "180f", long])],
        ["ServiceUUIDs": .strings([long, "12345678-1234-5678-1234-56789abcdef1"])],
        ["ServiceUUIDs": .strings(["nonsense"])],
        ["ServiceUUIDs": .string("180d")],
        ["ServiceUUIDs": .array(of: "q", [.uint16(0x180D)])],
        ["ServiceUUIDs": .strings((0..<14).map { "fff\(String($0, radix: 16))" })],
        ["ServiceUUIDs": .strings((0..<15).map { "fff\(String($0, radix: 16))" })],
        ["ServiceUUIDs": .strings(["0000180d", "0000180d-0000-1000-8000-00805f9b34fb", long])],
        ["ServiceUUIDs": .strings(["0000180d", "0000180e", long])],
        ["SolicitUUIDs": .strings(["x"])],
        ["SolicitUUIDs": .strings([long]), "ServiceUUIDs": .strings(["180d"])],
        ["SolicitUUIDs": .strings([long]), "ServiceUUIDs": .strings([long])],
        ["ManufacturerData": companies([(1, bytes(27))])],
        ["ManufacturerData": companies([(1, bytes(28))])],
        ["ManufacturerData": companies([(1, bytes(12)), (2, bytes(11))])],
        ["ManufacturerData": companies([(1, bytes(12)), (2, bytes(12))])],
        ["ManufacturerData": companies([(1, bytes(0))])],
        ["ManufacturerData": companies([(1, .string("x"))])],
        ["ManufacturerData": companies([(1, .strings(["x"]))])],
        ["ManufacturerData": .bytes([1, 2])],
        ["ServiceData": ["180d": bytes(27)].value],
        ["ServiceData": ["180d": bytes(28)].value],
        ["ServiceData": [long: bytes(13)].value],
        ["ServiceData": [long: bytes(14)].value],
        ["ServiceData": ["nonsense": bytes(1)].value],
        ["ServiceData": ["180d": Value.string("x")].value],
        ["Data": fields([(0x26, bytes(29))])],
        ["Data": fields([(0x26, bytes(30))])],
        ["Data": fields([(0xFF, bytes(3))])],
        ["Data": fields([(0x01, bytes(1))])],
        ["Data": fields([(0x26, .string("x"))])],
        ["Includes": .strings(["local-name", "x"])],
        ["Includes": .string("local-name")],
        ["Includes": .strings(["local-name"]), "LocalName": .string("x")],
        ["Includes": .strings(["local-name"]), "LocalName": .string("")],
        ["Includes": .strings(["appearance"]), "Appearance": .uint16(1)],
        ["Includes": .strings(["appearance"])],
        ["Includes": .strings(["appearance"]), "Type": .string("peripheral")],
        ["Includes": .strings(["tx-power"]), "ManufacturerData": companies([(1, bytes(24))])],
        ["Includes": .strings(["tx-power"]), "ManufacturerData": companies([(1, bytes(25))])],
        ["Includes": .strings(["appearance"]), "ManufacturerData": companies([(1, bytes(23))])],
        ["Includes": .strings(["appearance"]), "ManufacturerData": companies([(1, bytes(24))])],
        ["LocalName": .string(String(repeating: "n", count: 60)), "ManufacturerData": companies([(1, bytes(27))])],
        ["LocalName": .uint16(1)],
        ["Appearance": .uint16(0x0341), "ManufacturerData": companies([(1, bytes(23))])],
        ["Appearance": .uint16(0x0341), "ManufacturerData": companies([(1, bytes(24))])],
        ["Appearance": .uint16(0xFFFF), "ManufacturerData": companies([(1, bytes(27))])],
        ["Appearance": .int16(1)],
        ["Duration": .uint16(2)],
        ["Duration": .uint32(2)],
        ["Timeout": .uint32(2)],
        ["Timeout": .string("2")],
        ["Discoverable": .bool(true)],
        ["Discoverable": .bool(false)],
        ["Discoverable": .string("yes")],
        ["Type": .string("peripheral"), "Discoverable": .bool(true)],
        ["Type": .string("peripheral"), "Discoverable": .bool(true), "ManufacturerData": companies([(1, bytes(24))])],
        ["Type": .string("peripheral"), "Discoverable": .bool(true), "ManufacturerData": companies([(1, bytes(25))])],
        [
            "Type": .string("peripheral"), "Discoverable": .bool(true), "DiscoverableTimeout": .uint16(9),
            "Timeout": .uint16(8),
        ],
        ["Type": .string("peripheral"), "DiscoverableTimeout": .uint16(9), "Timeout": .uint16(8)],
        ["Type": .string("peripheral"), "Discoverable": .bool(true), "DiscoverableTimeout": .uint16(9)],
        ["DiscoverableTimeout": .uint32(9)],
        ["SecondaryChannel": .string("1M")],
        ["SecondaryChannel": .string("5M")],
        ["SecondaryChannel": .byte(1)],
        ["MinInterval": .uint32(100), "MaxInterval": .uint32(200)],
        ["MinInterval": .uint32(200), "MaxInterval": .uint32(100)],
        ["MinInterval": .uint32(100)],
        ["MaxInterval": .uint32(100)],
        ["MinInterval": .uint32(19), "MaxInterval": .uint32(200)],
        ["MinInterval": .uint32(20), "MaxInterval": .uint32(10_485_760)],
        ["MinInterval": .uint16(100), "MaxInterval": .uint16(200)],
        ["TxPower": .int16(20)],
        ["TxPower": .int16(21)],
        ["TxPower": .int16(-128)],
        ["TxPower": .byte(1)],
    ]

    /// Behaviours of the registration of advertisements.
    static let advertisements = [
        Behaviour(
            "An advertisement is read once, counted and unregistered", 113,
            transcript: """
                called /a GetManagedObjects
                called /a GetAll org.bluez.LEAdvertisement1
                hci0 LEAdvertisingManager1 SupportedInstances=4 ActiveInstances=1
                hci0 RegisterAdvertisement /a {} -> ok
                hci0 RegisterAdvertisement /a {} -> error org.bluez.Error.AlreadyExists "Already Exists"
                hci0 Get org.bluez.LEAdvertisingManager1 ActiveInstances -> 1
                hci0 LEAdvertisingManager1 SupportedInstances=5 ActiveInstances=0
                hci0 UnregisterAdvertisement /a -> ok
                hci0 UnregisterAdvertisement /a -> error org.bluez.Error.DoesNotExist "Does Not Exist"
                """
        ) { trial in
            let served = trial.first.serve(
                "/a",
                [ServedObject("/a", "LEAdvertisement1", ["Type": .string("broadcast"), "LocalName": .string("x")])],
                hasManager: false)
            for _ in 0..<2 {
                trial.first.call("hci0", "LEAdvertisingManager1.RegisterAdvertisement", Value.objectPath("/a"), none)
            }
            trial.pass(.milliseconds(300))
            trial.flush()
            trial.first.get("hci0", "LEAdvertisingManager1", "ActiveInstances")
            for _ in 0..<2 {
                trial.first.call("hci0", "LEAdvertisingManager1.UnregisterAdvertisement", Value.objectPath("/a"))
            }
            trial.pass(.milliseconds(300))
            served.end()
        },
        Behaviour(
            "An advertisement in an object manager is not read separately", 113,
            transcript: """
                called /a GetManagedObjects
                hci0 LEAdvertisingManager1 SupportedInstances=4 ActiveInstances=1
                hci0 RegisterAdvertisement /a {} -> ok
                hci0 LEAdvertisingManager1 SupportedInstances=5 ActiveInstances=0
                hci0 UnregisterAdvertisement /a -> ok
                """
        ) { trial in
            let served = trial.first.serve(
                "/a", [ServedObject("/a", "LEAdvertisement1", ["Type": .string("broadcast")])])
            trial.first.call("hci0", "LEAdvertisingManager1.RegisterAdvertisement", Value.objectPath("/a"), none)
            trial.pass(.milliseconds(300))
            trial.flush()
            trial.first.call("hci0", "LEAdvertisingManager1.UnregisterAdvertisement", Value.objectPath("/a"))
            trial.pass(.milliseconds(300))
            served.end()
        },
        Behaviour(
            "RegisterAdvertisement accepts a path without an object", 113,
            transcript: """
                hci0 LEAdvertisingManager1 SupportedInstances=4 ActiveInstances=1
                hci0 RegisterAdvertisement /nowhere {} -> ok
                hci0 LEAdvertisingManager1 SupportedInstances=5 ActiveInstances=0
                hci0 UnregisterAdvertisement /nowhere -> ok
                """
        ) { trial in
            trial.first.call("hci0", "LEAdvertisingManager1.RegisterAdvertisement", Value.objectPath("/nowhere"), none)
            trial.pass(.milliseconds(300))
            trial.flush()
            trial.first.call("hci0", "LEAdvertisingManager1.UnregisterAdvertisement", Value.objectPath("/nowhere"))
            trial.pass(.milliseconds(300))
        },
        Behaviour(
            "RegisterAdvertisement refuses invalid advertisements", 113,
            transcript: """
                1. {} -> ok
                2. {Type: poster} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                3. {Type: 1} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                4. {Bogus: x, Type: peripheral} -> ok
                5. {ServiceUUIDs: [180d, 180f, 12345678-1234-5678-1234-56789abcdef0]} -> ok
                6. {ServiceUUIDs: [12345678-1234-5678-1234-56789abcdef0, 12345678-1234-5678-1234-56789abcdef1]} -> error org.bluez.Error.Failed "Failed to register advertisement"
                7. {ServiceUUIDs: [nonsense]} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                8. {ServiceUUIDs: 180d} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                9. {ServiceUUIDs: [6157]} -> ok
                10. {ServiceUUIDs: [fff0, fff1, fff2, fff3, fff4, fff5, fff6, fff7, fff8, fff9, fffa, fffb, fffc, fffd]} -> ok
                11. {ServiceUUIDs: [fff0, fff1, fff2, fff3, fff4, fff5, fff6, fff7, fff8, fff9, fffa, fffb, fffc, fffd, fffe]} -> error org.bluez.Error.Failed "Failed to register advertisement"
                12. {ServiceUUIDs: [0000180d, 180d, 12345678-1234-5678-1234-56789abcdef0]} -> ok
                13. {ServiceUUIDs: [0000180d, 0000180e, 12345678-1234-5678-1234-56789abcdef0]} -> ok
                14. {SolicitUUIDs: [x]} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                15. {ServiceUUIDs: [180d], SolicitUUIDs: [12345678-1234-5678-1234-56789abcdef0]} -> ok
                16. {ServiceUUIDs: [12345678-1234-5678-1234-56789abcdef0], SolicitUUIDs: [12345678-1234-5678-1234-56789abcdef0]} -> error org.bluez.Error.Failed "Failed to register advertisement"
                17. {ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                18. {ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                19. {ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07>, 2: <07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                20. {ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07>, 2: <07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to register advertisement"
                21. {ManufacturerData: {1: <>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                22. {ManufacturerData: {1: x}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                23. {ManufacturerData: {1: [x]}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                24. {ManufacturerData: <01 02>} -> ok
                25. {ServiceData: {180d: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                26. {ServiceData: {180d: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                27. {ServiceData: {12345678-1234-5678-1234-56789abcdef0: <07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                28. {ServiceData: {12345678-1234-5678-1234-56789abcdef0: <07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                29. {ServiceData: {nonsense: <07>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                30. {ServiceData: {180d: x}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                31. {Data: {38: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                32. {Data: {38: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                33. {Data: {255: <07 07 07>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                34. {Data: {1: <07>}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                35. {Data: {38: x}} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                36. {Includes: [local-name, x]} -> ok
                37. {Includes: local-name} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                38. {Includes: [local-name], LocalName: x} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                39. {Includes: [local-name], LocalName: } -> error org.bluez.Error.Failed "Failed to parse advertisement."
                40. {Appearance: 1, Includes: [appearance]} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                41. {Includes: [appearance]} -> error org.bluez.Error.Failed "Failed to register advertisement"
                42. {Includes: [appearance], Type: peripheral} -> error org.bluez.Error.Failed "Failed to register advertisement"
                43. {Includes: [tx-power], ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                44. {Includes: [tx-power], ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to register advertisement"
                45. {Includes: [appearance], ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to register advertisement"
                46. {Includes: [appearance], ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to register advertisement"
                47. {LocalName: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn, ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                48. {LocalName: 1} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                49. {Appearance: 833, ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                50. {Appearance: 833, ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> error org.bluez.Error.Failed "Failed to register advertisement"
                51. {Appearance: 65535, ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}} -> ok
                52. {Appearance: 1} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                53. {Duration: 2} -> ok
                54. {Duration: 2} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                55. {Timeout: 2} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                56. {Timeout: 2} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                57. {Discoverable: true} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                58. {Discoverable: false} -> ok
                59. {Discoverable: yes} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                60. {Discoverable: true, Type: peripheral} -> ok
                61. {Discoverable: true, ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}, Type: peripheral} -> ok
                62. {Discoverable: true, ManufacturerData: {1: <07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07 07>}, Type: peripheral} -> error org.bluez.Error.Failed "Failed to register advertisement"
                63. {Discoverable: true, DiscoverableTimeout: 9, Timeout: 8, Type: peripheral} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                64. {DiscoverableTimeout: 9, Timeout: 8, Type: peripheral} -> ok
                65. {Discoverable: true, DiscoverableTimeout: 9, Type: peripheral} -> ok
                66. {DiscoverableTimeout: 9} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                67. {SecondaryChannel: 1M} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                68. {SecondaryChannel: 5M} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                69. {SecondaryChannel: 1} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                70. {MaxInterval: 200, MinInterval: 100} -> ok
                71. {MaxInterval: 100, MinInterval: 200} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                72. {MinInterval: 100} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                73. {MaxInterval: 100} -> ok
                74. {MaxInterval: 200, MinInterval: 19} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                75. {MaxInterval: 10485760, MinInterval: 20} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                76. {MaxInterval: 200, MinInterval: 100} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                77. {TxPower: 20} -> ok
                78. {TxPower: 21} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                79. {TxPower: -128} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                80. {TxPower: 1} -> error org.bluez.Error.Failed "Failed to parse advertisement."
                """
        ) { trial in
            trial.first.signalFilter.set([], [])
            for (index, properties) in odd.enumerated() {
                let served = trial.first.serve(
                    "/a", [ServedObject("/a", "LEAdvertisement1", properties)], noting: false)
                let reply = trial.first.call(
                    "hci0", "LEAdvertisingManager1.RegisterAdvertisement", Value.objectPath("/a"), none, noting: false)
                trial.first.eventLog.write(
                    "\(index + 1). \(text(properties, trial.names)) -> \(reply.line(trial.names))")
                trial.first.call(
                    "hci0", "LEAdvertisingManager1.UnregisterAdvertisement", Value.objectPath("/a"), noting: false)
                served.end()
            }
            trial.flush()
        },
        Behaviour(
            "RegisterAdvertisement fails while the adapter is off", 113,
            transcript: """
                hci0 Set org.bluez.Adapter1 Powered false -> ok
                called /a GetManagedObjects
                hci0 RegisterAdvertisement /a {} -> error org.bluez.Error.Failed "Failed to register advertisement"
                hci0 Get org.bluez.LEAdvertisingManager1 ActiveInstances -> 0
                hci0 Set org.bluez.Adapter1 Powered true -> ok
                """
        ) { trial in
            trial.first.signalFilter.set([], [])
            let served = trial.first.serve(
                "/a", [ServedObject("/a", "LEAdvertisement1", ["Type": .string("broadcast")])])
            trial.first.set("hci0", "Adapter1", "Powered", false)
            trial.first.call("hci0", "LEAdvertisingManager1.RegisterAdvertisement", Value.objectPath("/a"), none)
            trial.first.get("hci0", "LEAdvertisingManager1", "ActiveInstances")
            trial.first.call(
                "hci0", "LEAdvertisingManager1.UnregisterAdvertisement", Value.objectPath("/a"), noting: false)
            trial.first.set("hci0", "Adapter1", "Powered", true)
            trial.pass(.seconds(1))
            served.end()
        },
    ]
}
