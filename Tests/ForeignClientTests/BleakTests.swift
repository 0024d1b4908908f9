import Testing

extension ForeignClientTests {
    /// Tests with Bleak, the most common BLE client library for Python.
    struct BleakTests {
        private static let strap = "C0:FF:EE:00:00:01"

        private static func full(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

        @Test func `Bleak scans and reports the advertised data`() throws {
            let simulation = try SimulateProcess()
            let heard = try simulation.bleak(
                "scan", Self.strap, "C0:FF:EE:00:00:02", "C0:FF:EE:00:00:03", "C0:FF:EE:00:00:04", "C0:FF:EE:00:00:05")
            try #require(heard.count == 5)
            let (strap, thermometer, beacon) = (heard[0], heard[1], heard[2])
            #expect(strap["name"] as? String == "Heart rate strap")
            #expect(strap["services"] as? [String] == [Self.full("180d"), Self.full("180f")])
            #expect(abs((strap["rssi"] as? Int ?? 0) + 58) <= 4)
            #expect(thermometer["serviceData"] as? [String: String] == [Self.full("181a"): "2e09"])
            #expect(thermometer["txPower"] as? Int == 4)
            #expect(thermometer["manufacturerData"] as? [String: String] == [:])
            #expect(
                beacon["manufacturerData"] as? [String: String] == [
                    "76": "021574278bdab64445208f0c720eaf05993500010007c5"
                ])
            #expect(beacon["serviceData"] as? [String: String] == [:])
            #expect(try simulation.end().sent > 0)
        }

        @Test func `Bleak reports matching devices from an advertisement monitor without a scan`() throws {
            let simulation = try SimulateProcess()
            let heard = try simulation.bleak("watch", "C0:FF:EE:00:00:02", "C0:FF:EE:00:00:03")
            try #require(heard.compactMap { $0["address"] as? String } == ["C0:FF:EE:00:00:02", "C0:FF:EE:00:00:03"])
            #expect(heard[0]["serviceData"] as? [String: String] == [Self.full("181a"): "2e09"])
            #expect((heard[1]["manufacturerData"] as? [String: String])?["76"]?.hasPrefix("0215") == true)
            #expect(abs((heard[1]["rssi"] as? Int ?? 0) + 64) <= 5)
        }

        @Test func `Bleak connects, lists, reads, writes, gets notifications and disconnects`() throws {
            let output = try SimulateProcess().bleak("use", Self.strap)
            func facts<Fact>(_ key: String) -> [Fact] { output.compactMap { $0[key] as? Fact } }

            #expect(facts("connected") == [true, false])
            let characteristics = output.filter { $0["characteristic"] != nil }
            let gap = SimulateProcess.showsGAP ? ["2a00", "2a01"] : []
            #expect(
                Set(characteristics.compactMap { $0["characteristic"] as? String })
                    == Set((gap + ["2a05", "2a37", "2a38", "2a39", "2a19", "2a29", "2a24", "2a26"]).map(Self.full)))
            #expect(characteristics.allSatisfy { $0["longestCommand"] as? Int == 514 })
            let rate = try #require(characteristics.first { $0["characteristic"] as? String == Self.full("2a37") })
            #expect(rate["service"] as? String == Self.full("180d"))
            #expect(rate["handle"] as? Int == 11)
            #expect(rate["properties"] as? [String] == ["notify", "read"])
            #expect(rate["descriptors"] as? [String] == [Self.full("2902")])
            let control = try #require(characteristics.first { $0["characteristic"] as? String == Self.full("2a39") })
            #expect(control["properties"] as? [String] == ["read", "write", "write-without-response"])

            #expect(facts("level") == ["57"])
            #expect(facts("written") == ["2a"])
            #expect(facts("commanded") == ["2b"])
            let refused: [String] = facts("refused")
            #expect(refused.count == 1 && refused[0].contains("Write Not Permitted"), "\(refused)")
            #expect(facts("beats") == [["003e", "003f", "0040", "0041"]])
        }

        @Test func `Bleak reads descriptors and the MTU, and gets notifications over a socket`() throws {
            let output = try SimulateProcess().bleak("describe", "C0:FF:EE:00:00:02")
            let pairs = output.compactMap { fact in
                (fact["descriptor"] as? String).map { ($0, fact["value"] as? String) }
            }
            let descriptors = Dictionary(uniqueKeysWithValues: pairs)
            // The value of descriptor 2901 is “Living room” in hexadecimal.
            #expect(descriptors == [Self.full("2901"): "4c6976696e6720726f6f6d", Self.full("2902"): "0000"])
            #expect(output.compactMap { $0["mtu"] as? Int } == [517])
            #expect(output.compactMap { $0["degrees"] as? [String] } == [["2e09", "2f09"]])
        }

        @Test func `Bleak gets two hundred notifications in four seconds, in order`() throws {
            let output = try SimulateProcess(ClientPrograms.file("pairing.yaml")).bleak("count", "C0:FF:EE:00:00:11")
            let values = try #require(output.first?["counted"] as? [String])
            #expect(values == (0..<200).map { "0\($0 % 10)" })
        }

        @Test func `Bleak gets each notification in order, and detects link loss by the device`() throws {
            let output = try SimulateProcess().bleak("lose", "C0:FF:EE:00:00:04")
            #expect(output.compactMap { $0["lost"] as? Bool } == [true])
            #expect(output.compactMap { $0["connected"] as? Bool } == [false])
            let values = try #require(output.first?["values"] as? [String])
            // The device notifies every 200 ms and drops the link 1.5 s after connecting, so at most seven values
            // arrive.
            #expect((3...7).contains(values.count))
            #expect(values == ["00", "01", "02", "03", "04", "05", "06"].dropLast(7 - values.count))
        }

        /// The agent of bluetoothctl accepts this pairing.
        ///
        /// Bleak registers no agent, and bluetoothd does not pair without an agent (Q90).
        @Test func `Bleak pairs when an agent of another program agrees, and unpairs`() throws {
            let simulation = try SimulateProcess()
            let user = try BluetoothctlSession(on: simulation)
            try user.say("default-agent", until: "Default agent request successful\n")
            let output = try simulation.bleak("pair", Self.strap)
            #expect(output.compactMap { $0["paired"] as? Bool } == [true, false])
            #expect(output.compactMap { $0["level"] as? String } == ["57"])
            #expect(output.compactMap { $0["connected"] as? Bool } == [false])
            try user.quit()
        }
    }
}
