import Testing

extension ForeignClientTests {
    /// Bleak, the client that most Python programs use.
    struct BleakTests {
        private static let strap = "C0:FF:EE:00:00:01"

        private static func full(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

        @Test func `Bleak hears what the devices advertise`() throws {
            let served = try Served()
            let heard = try served.bleak(
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
            #expect(try served.end() > 0)
        }

        @Test func `Bleak connects, lists, reads, writes, gets notifications and disconnects`() throws {
            let said = try Served().bleak("use", Self.strap)
            func facts<Fact>(_ key: String) -> [Fact] { said.compactMap { $0[key] as? Fact } }

            #expect(facts("connected") == [true, false])
            let characteristics = said.filter { $0["characteristic"] != nil }
            #expect(
                Set(characteristics.compactMap { $0["characteristic"] as? String })
                    == Set(["2a05", "2a37", "2a38", "2a39", "2a19", "2a29", "2a24", "2a26"].map(Self.full)))
            let rate = try #require(characteristics.first { $0["characteristic"] as? String == Self.full("2a37") })
            #expect(rate["service"] as? String == Self.full("180d"))
            #expect(rate["properties"] as? [String] == ["notify", "read"])
            #expect(rate["descriptors"] as? [String] == [Self.full("2902")])
            let control = try #require(characteristics.first { $0["characteristic"] as? String == Self.full("2a39") })
            #expect(control["properties"] as? [String] == ["read", "write", "write-without-response"])

            #expect(facts("level") == ["57"])
            #expect(facts("written") == ["2a"])
            #expect(facts("beats") == [["003e", "003f", "0040"]])
            let refused: [String] = facts("refused")
            #expect(refused.count == 1 && refused[0].contains("Write Not Permitted"), "\(refused)")
        }

        @Test func `Bleak pairs`() throws {
            let served = try Served()
            // Pairing is not simulated yet. When it is, this passes, and is to be said without the bracket.
            withKnownIssue(isIntermittent: true) { () throws -> Void in
                #expect(try served.bleak("pair", Self.strap).first?["paired"] as? Bool == true)
            }
        }
    }
}
