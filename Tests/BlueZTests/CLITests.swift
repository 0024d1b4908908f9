import RxBluetooth
import Testing

extension LabTests {
    @Suite struct CLITests {
        /// How many seconds a link may remain after a command: the command exits 2 s before its link is closed.
        static let closing = 30

        @Test func `scan lists all peripherals and prints no escape sequences`() async throws {
            let scan = try Command.bleCLI("scan", "--timeout", "10", "--json")
            #expect(scan.status == 0, "\(scan.errors)")
            let names = Set(try scan.objects().compactMap { $0["name"] as? String })
            #expect(names.isSuperset(of: ["HRM-0", "HRM-1", "HRM-2", "TWINS", "SECURE", "FLAKY", "LOUD"]))
            #expect(names.contains { $0.contains("EVIL") })
            #expect(!scan.output.contains("\u{1B}"))

            let plain = try Command.bleCLI("scan", "--timeout", "5")
            #expect(plain.output.contains("EVIL"))
            for scalar in "\u{1B}\u{202E}\u{200B}".unicodeScalars {
                #expect(!plain.output.unicodeScalars.contains(scalar))
            }
            try await Lab.expectNothingLeft()
        }

        @Test func `connect prints the values of two services with one UUID`() async throws {
            let tree = try Command.bleCLI("connect", "TWINS")
            #expect(tree.status == 0, "\(tree.errors)")
            let lines = tree.output.split(separator: "\n").filter { $0.contains("FFD1") }
            #expect(lines.count == 2)
            #expect(lines.contains { $0.contains("0b") } && lines.contains { $0.contains("16") })
            try await Lab.expectNothingLeft(within: Self.closing)
        }

        @Test func `read prints the value that write wrote`() async throws {
            #expect(try Command.bleCLI("write", "HRM-1", "2A39", "2a").status == 0)
            let read = try Command.bleCLI("read", "HRM-1", "2A39", "--json")
            #expect(read.status == 0, "\(read.errors)")
            #expect(try read.objects().first?["value"] as? String == "2a")
            try await Lab.expectNothingLeft(within: Self.closing)
        }

        @Test func `notify prints 1,000 consecutive values`() async throws {
            let notify = try Command.bleCLI("notify", "LOUD", "FFE1", "--count", "1000", "--json")
            #expect(notify.status == 0, "\(notify.errors)")
            let counts = try notify.objects().compactMap { ($0["value"] as? String).flatMap { UInt64($0, radix: 16) } }
            #expect(counts.count == 1_000)
            #expect(counts == (0..<1_000).map { (counts.first ?? 0) + $0 })
            try await Lab.expectNothingLeft(within: Self.closing)
        }

        @Test func `notify reports link loss on standard error`() async throws {
            let notify = try Command.bleCLI("notify", "FLAKY", "2A37", "--timeout", "30")
            #expect(notify.status == 5)
            #expect(notify.errors.split(separator: "\n").count == 1)
            let loss = Lab.reasonOfLoss == .remote ? "the link was closed by the peripheral" : "the link was lost"
            #expect(notify.errors.contains(loss), "\(notify.errors)")
            try await Lab.expectNothingLeft(within: Self.closing)
        }

        @Test func `An unknown device or adapter ends a command with status 2`() async throws {
            let device = try Command.bleCLI("connect", "NOBODY", "--timeout", "3")
            #expect(device.status == 2)
            #expect(device.errors.split(separator: "\n").count == 1)
            let adapter = try Command.bleCLI("scan", "--adapter", "hci9", "--timeout", "3")
            #expect(adapter.status == 2)
            #expect(adapter.errors.contains("hci9"))
            try await Lab.expectNothingLeft()
        }
    }
}
