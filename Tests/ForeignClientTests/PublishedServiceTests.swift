import Testing

extension ForeignClientTests {
    /// Programs of other projects as centrals of a service that this library publishes with the simulation.
    struct PublishedServiceTests {
        private static func full(_ short: String) -> String { "0000\(short)-0000-1000-8000-00805f9b34fb" }

        @Test func `Bleak reads, writes and gets notifications of a published service`() async throws {
            let simulation = try await PublishedSimulation()
            let output = try simulation.bleak("published", PublishedSimulation.address)
            func facts<Fact>(_ key: String) -> [Fact] { output.compactMap { $0[key] as? Fact } }
            #expect(facts("characteristics") == [[Self.full("ffa1"), Self.full("ffa2")]])
            #expect(facts("properties") == [["read", "write"], ["notify"]])
            #expect(facts("read") == ["010203", "2a2b"])
            let refused: [String] = facts("refused")
            #expect(refused.count == 1 && refused[0].contains("0x85"), "\(refused)")
            let counts: [[String]] = facts("counts")
            let numbers = counts.first?.compactMap { Int($0, radix: 16) } ?? []
            #expect(numbers.count == 5 && numbers == (numbers[0]..<numbers[0] + 5).map { $0 })
            #expect(simulation.written == [[0x2A, 0x2B]])
        }

        @Test func `bluetoothctl reads, writes and subscribes to a published service`() async throws {
            let simulation = try await PublishedSimulation()
            let user = try BluetoothctlSession(on: simulation)
            try user.say("select 00:1A:7D:DA:71:01", until: "Controller 00:1A:7D:DA:71:01")
            // The peripheral advertises no name.
            try user.find("\(PublishedSimulation.address) C0-FF-EE-00-00-A0")
            try user.say("connect \(PublishedSimulation.address)", until: "ServicesResolved: yes\n")
            try user.say("menu gatt", until: "export")
            let attributes = try user.ask("list-attributes \(PublishedSimulation.address)")
            for uuid in ["ffa0", "ffa1", "ffa2", "2902"] {
                #expect(attributes.contains(Self.full(uuid)), "\(attributes)")
            }
            try user.say("select-attribute \(Self.full("ffa1"))", until: "]")
            try user.say("read", until: "  01 02 03 ")
            try user.say("write \"0x2a 0x2b\"", until: "Attempting to write")
            try user.say("read", until: "  2a 2b ")
            try user.say("write 0xff", until: "Failed to write: org.bluez.Error.Failed\n")
            try user.say("select-attribute \(Self.full("ffa2"))", until: "]")
            try user.say("notify on", until: "Notify started\n")
            for _ in 0..<3 { try user.wait(until: "Value:\n") }
            try user.say("notify off", until: "Notify stopped\n")
            try user.quit()
            #expect(simulation.written == [[0x2A, 0x2B]])
        }
    }
}
