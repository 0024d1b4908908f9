import Testing

extension ForeignClientTests {
    /// BlueZ's own client. Each command is a process, which ends when bluetoothd has answered.
    struct BluetoothctlTests {
        private static let strap = "C0:FF:EE:00:00:01"

        private func run(_ served: Served, _ words: String...) throws -> String { try served.bluetoothctl(words) }

        @Test func `bluetoothctl lists, shows, scans, connects and disconnects`() throws {
            let served = try Served()
            #expect(try run(served, "list") == "Controller 00:1A:7D:DA:71:01 simulation [default]\n")
            let adapter = try run(served, "show")
            for line in ["Powered: yes", "Discovering: no", "Roles: central", "Alias: simulation"] {
                #expect(adapter.contains("\t\(line)\n"), "\(adapter)")
            }

            let scan = try run(served, "--timeout", "3", "scan", "on")
            #expect(scan.contains("Discovery started\n"), "\(scan)")
            #expect(scan.contains("[NEW] Device \(Self.strap) Heart rate strap\n"), "\(scan)")
            #expect(scan.contains("[NEW] Device C0:FF:EE:00:00:03 Door beacon\n"), "\(scan)")
            #expect(try run(served, "devices").contains("Device \(Self.strap) Heart rate strap\n"))

            let connected = try run(served, "connect", Self.strap)
            #expect(connected.contains("Connection successful\n"), "\(connected)")
            #expect(try run(served, "devices", "Connected") == "Device \(Self.strap) Heart rate strap\n")
            let info = try run(served, "info", Self.strap)
            for line in ["Connected: yes", "Paired: no", "UUID: Heart Rate                (0000180d-"] {
                #expect(info.contains("\t\(line)"), "\(info)")
            }
            #expect(try run(served, "disconnect", Self.strap).contains("Successful disconnected\n"))
            #expect(try run(served, "devices", "Connected") == "")
        }

        @Test func `bluetoothctl pairs`() throws {
            let served = try Served()
            _ = try run(served, "--timeout", "2", "scan", "on")
            // Pairing is not simulated yet. When it is, this passes, and is to be said without the bracket.
            withKnownIssue(isIntermittent: true) { () throws -> Void in
                #expect(try run(served, "pair", Self.strap).contains("Pairing successful\n"))
                #expect(try run(served, "info", Self.strap).contains("\tPaired: yes\n"))
            }
        }
    }
}
