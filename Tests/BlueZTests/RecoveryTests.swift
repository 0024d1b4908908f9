import RxBluetooth
import Testing

extension LabTests {
    /// bluetoothd is killed and the adapter switched off in the middle of things, with reconnection and without. Each test puts
    /// back what it took. Real time passes, since it is about how soon a real daemon's return is noticed.
    @Suite struct RecoveryTests {
        private static func beats(of peripheral: Peripheral) -> Observable<[UInt8]> {
            peripheral.discoverServices([0x180D])
                .flatMap { $0.discoverCharacteristics([0x2A37]) }
                .flatMap { $0.observeValueUpdates() }
        }

        @Test(arguments: Outage.allCases)
        func `S13 Q2 Q32 An outage ends a scan, a connection and notifications within a second, each with its reason`(
            outage: Outage
        ) async throws {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-0")
                let scan = Notes(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
                let link = Notes(peripheral.connect())
                try await link.wait { $0.count == 1 }
                let values = Notes(Self.beats(of: peripheral))
                try await values.wait { $0.count > 10 }
                try outage.begin()
                try await scan.wait(atMost: 1) { $0.error != nil }
                try await link.wait(atMost: 1) { $0.error != nil }
                try await values.wait(atMost: 1) { $0.error != nil }
                #expect(scan.now.error?.kind == outage.obstacle)
                #expect(link.now.error == values.now.error)
                #expect(outage.reasons.contains { link.now.error?.kind == .disconnected($0) })
                let counts = [scan.now.count, link.now.count, values.now.count]
                try await outage.end()
                _ = try await manager.peripheral(named: "HRM-0")
                #expect([scan.now.count, link.now.count, values.now.count] == counts)
            }
        }

        @Test(arguments: Outage.allCases)
        func `S15 Q2 Q32 Q38 A scan that resumes hears again as soon as the kernel lets it`(outage: Outage) async throws
        {
            try await Ground.withManager { manager in
                let options = ScanOptions(allowsDuplicates: true, resumes: true)
                let scan = Notes(manager.scanForPeripherals(options: options))
                try await scan.wait { $0.count > 5 }
                try outage.begin()
                try await Ground.pass(.seconds(1))
                let before = scan.now.count
                try await Ground.pass(.seconds(1))
                #expect(scan.now.count == before)
                try await outage.end()
                // The kernel goes on with what a killed bluetoothd was looking for, and refuses the next one meanwhile (Q38).
                let time = try await scan.wait(atMost: outage == .kill ? 12 : 5) { $0.count > before }
                print("A scan went on \(time) s after \(outage).")
                #expect(scan.now.error == nil)
                scan.dispose()
                let told = scan.now.count
                try await manager.settled().value
                try await Ground.pass(.milliseconds(500))
                #expect(scan.now.count == told)
            }
        }

        @Test(arguments: Outage.allCases)
        func `S78 Q2 Q32 Notifications go on within five seconds`(outage: Outage) async throws {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-1")
                let states = Notes(peripheral.connectionState)
                let values = Notes(peripheral.connect(options: .reconnect()).flatMap { Self.beats(of: $0) })
                try await values.wait { $0.count > 10 }
                try outage.begin()
                try await states.wait(atMost: 1) { $0.last != .connected }
                try await Ground.pass(.seconds(1))
                let before = values.now.count
                try await outage.end()
                let time = try await values.wait(atMost: 20) { $0.count > before }
                print("Notifications went on \(time) s after \(outage).")
                #expect(time < 5)
                try await values.wait(atMost: 5) { $0.count > before + 20 }
                #expect(values.now.error == nil)
                #expect(states.now.last == .connected)
                values.dispose()
                let told = values.now.count
                try await manager.settled().value
                try await Ground.pass(.milliseconds(500))
                #expect(values.now.count == told)
            }
        }

        @Test(arguments: Outage.allCases)
        func `Q2 Q32 An outage in the middle of connecting is waited for`(outage: Outage) async throws {
            try await Ground.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-2")
                let link = Notes(peripheral.connect(options: .reconnect()))
                try outage.begin()
                try await Ground.pass(.milliseconds(500))
                try await outage.end()
                let time = try await link.wait(atMost: 40) { $0.count == 1 }
                print("A connection came about \(time) s after \(outage).")
                #expect(link.now.error == nil)
                link.dispose()
                try await manager.settled().value
            }
        }

        @Test func `A peripheral that drops each link is connected again and again`() async throws {
            try await Ground.withManager { manager in
                let flaky = try await manager.peripheral(named: "FLAKY")
                let connected = Notes(flaky.connectionState.filter { $0 == .connected })
                let often = Reconnection(longestPause: .milliseconds(250))
                let values = Notes(flaky.connect(options: .reconnect(often)).flatMap { Self.beats(of: $0) })
                try await connected.wait(atMost: 60) { $0.count == 3 }
                #expect(values.now.error == nil)
                values.dispose()
                try await manager.settled().value
            }
        }

        @Test func `notify with --reconnect goes on after bluetoothd was killed, and says so`() async throws {
            let killing = Task.detached {
                try await Ground.pass(.seconds(10))
                try Outage.kill.begin()
                try await Ground.pass(.seconds(1))
                try await Outage.kill.end()
            }
            let notify = try Command.bleCLI("notify", "HRM-1", "2A37", "--reconnect", "--timeout", "30")
            try await killing.value
            #expect(notify.status == 0, "\(notify.errors)")
            #expect(notify.errors.contains("bluetoothd stopped"))
            #expect(notify.errors.contains("connected again"))
            #expect(notify.output.split(separator: "\n").count > 100)
            try await Ground.expectNothingLeft()
        }
    }
}
