import Testing

extension ForeignClientTests {
    /// Tests with SimpleBLE, habluetooth with bleak-retry-connector, and GDBus.
    ///
    /// Each client connects, reads, writes and subscribes to notifications.
    struct OtherClientTests {
        private static let strap = "C0:FF:EE:00:00:01"

        private static func full(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

        private func check(_ output: [[String: Any]], commands: Bool = true) {
            func facts<Fact>(_ key: String) -> [Fact] { output.compactMap { $0[key] as? Fact } }
            #expect(facts("found") == ["Heart rate strap"])
            #expect(facts("connected") == [true, false])
            #expect(facts("level") == ["57"])
            #expect(facts("written") == ["2a"])
            #expect(facts("commanded") == (commands ? ["2b"] : []))
            #expect(facts("beats") == [["003e", "003f", "0040", "0041"]])
        }

        private static let services =
            ((SimulateProcess.showsGAP ? ["1800"] : []) + ["1801", "180a", "180d", "180f"]).map(full)

        /// Runs the program of SimpleBLE, again with another simulation if SimpleBLE has missed a reply.
        private func simpleBLE() throws -> [[String: Any]] {
            let words = [try #require(ClientPrograms.python), ClientPrograms.file("simpleble_client.py"), Self.strap]
            var end = try SimulateProcess().run(words)
            // SimpleBLE calls dbus_pending_call_set_notify after it has sent a call. If its other thread receives the
            // reply in between, libdbus does not notify it. A reply that is really missing is missing each time.
            for _ in 0..<2 where end.code != 0 && end.output.contains("RuntimeError: D-Bus call timed out") {
                print("SimpleBLE has missed a reply, so its program runs again: \(end.output)")
                end = try SimulateProcess().run(words)
            }
            return try SimulateProcess.objects(in: end)
        }

        @Test func `SimpleBLE scans, connects, reads, writes and gets notifications`() throws {
            let output = try simpleBLE()
            check(output)
            #expect(output.compactMap { $0["adapter"] as? String } == ["00:1A:7D:DA:71:01"])
            // SimpleBLE reports 514 for an MTU of 517, because it subtracts the ATT header of 3 bytes.
            #expect(output.compactMap { $0["mtu"] as? Int } == [514])
            #expect(output.compactMap { $0["services"] as? [String] } == [Self.services])
        }

        @Test func `habluetooth with bleak-retry-connector connects, reads, writes and subscribes`() throws {
            let output = try SimulateProcess().python("habluetooth_client.py", Self.strap)
            check(output, commands: false)
            #expect(output.compactMap { $0["adapters"] as? [String: String] } == [["hci0": "00:1A:7D:DA:71:01"]])
            #expect(output.compactMap { $0["services"] as? [String] } == [["180d", "180f"].map(Self.full)])
        }

        @Test func `GDBus scans, connects, reads, writes and gets notifications`() throws {
            let output = try SimulateProcess().python("gdbus_client.py", usesDebianPython: true, Self.strap)
            check(output)
            #expect(output.compactMap { $0["services"] as? [String] } == [Self.services])
        }
    }
}
