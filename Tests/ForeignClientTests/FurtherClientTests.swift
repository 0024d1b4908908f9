import Testing

extension ForeignClientTests {
    /// Clients that do not use Bleak's way of speaking to bluetoothd. Each scans, connects, reads, writes and gets notifications.
    struct FurtherClientTests {
        private static let strap = "C0:FF:EE:00:00:01"

        private static func full(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

        private func check(_ said: [[String: Any]], commands: Bool = true) {
            func facts<Fact>(_ key: String) -> [Fact] { said.compactMap { $0[key] as? Fact } }
            #expect(facts("found") == ["Heart rate strap"])
            #expect(facts("connected") == [true, false])
            #expect(facts("level") == ["57"])
            #expect(facts("written") == ["2a"])
            #expect(facts("commanded") == (commands ? ["2b"] : []))
            #expect(facts("beats") == [["003e", "003f", "0040", "0041"]])
        }

        private static let services = ["1801", "180a", "180d", "180f"].map(full)

        @Test func `SimpleBLE scans, connects, reads, writes and gets notifications`() throws {
            let said = try Served().python("simpleble_client.py", Self.strap)
            check(said)
            #expect(said.compactMap { $0["adapter"] as? String } == ["00:1A:7D:DA:71:01"])
            // Three bytes of a packet are not the value's.
            #expect(said.compactMap { $0["mtu"] as? Int } == [514])
            #expect(said.compactMap { $0["services"] as? [String] } == [Self.services])
        }

        @Test func `habluetooth and bleak-retry-connector scan, connect, read, write and get notifications`() throws {
            let said = try Served().python("habluetooth_client.py", Self.strap)
            check(said, commands: false)
            #expect(said.compactMap { $0["adapters"] as? [String: String] } == [["hci0": "00:1A:7D:DA:71:01"]])
            #expect(said.compactMap { $0["services"] as? [String] } == [["180d", "180f"].map(Self.full)])
        }

        @Test func `GDBus scans, connects, reads, writes and gets notifications`() throws {
            let said = try Served().python("gdbus_client.py", isDebians: true, Self.strap)
            check(said)
            #expect(said.compactMap { $0["services"] as? [String] } == [Self.services])
        }
    }
}
