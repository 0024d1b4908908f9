import Foundation
import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Scans, connections and notifications when bluetoothd is killed or the adapter is switched off.
    ///
    /// The tests measure and print how long the recovery takes: from the moment when bluetoothd is on the bus again, or
    /// the adapter is on, to the next value. Each test restores bluetoothd and the adapter.
    @Suite struct RecoveryTests {
        private static func beats(of peripheral: Peripheral) -> Observable<[UInt8]> {
            peripheral.discoverServices([0x180D])
                .flatMap { $0.discoverCharacteristics([0x2A37]) }
                .flatMap { $0.observeValueUpdates() }
        }

        private static func everything(
            _ manager: BluetoothManager, resumes: Bool = false
        ) -> StreamProgress<ScannedPeripheral> {
            StreamProgress(manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true, resumes: resumes)))
        }

        // MARK: Without reconnection

        @Test(.proves(.S13, .S34, .S59, .S91, .Q2, .Q32), arguments: Outage.allCases)
        func
            `An outage ends a scan, a connection and notifications within 1 s, with its cause`(
                outage: Outage
            ) async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-0")
                let link = StreamProgress(peripheral.connect())
                try await link.wait { $0.count == 1 }
                let values = StreamProgress(Self.beats(of: peripheral))
                try await values.wait { $0.count > 10 }
                let scan = Self.everything(manager)
                try await scan.wait { $0.count > 0 }
                try outage.begin()
                let start = Moment.now
                let ends = [
                    try await scan.wait(atMost: 10) { $0.error != nil }.time - start,
                    try await link.wait(atMost: 10) { $0.error != nil }.time - start,
                    try await values.wait(atMost: 10) { $0.error != nil }.time - start,
                ]
                print("\(outage): scan, link and notifications ended after \(ends.seconds).")
                #expect(scan.now.error?.kind == outage.scanErrorKind)
                #expect(link.now.error?.kind == .disconnected(outage.reason))
                #expect(values.now.error?.kind == link.now.error?.kind)
                let counts = [scan.now.count, link.now.count, values.now.count]
                try await outage.end()
                try MachineSpeed.expect(ends.max() ?? 9, isBelow: 1)
                _ = try await manager.peripheral(named: "HRM-0")
                #expect([scan.now.count, link.now.count, values.now.count] == counts)
            }
        }

        // This test only kills bluetoothd: switching the adapter off while connecting often crashes Debian's kernel
        // 6.1.192 with "kernel BUG at lib/list_debug.c". The simulation tests that case.
        @Test(.proves(.S28, .Q2))
        func `The exit of bluetoothd ends a connection attempt within 1 s, with its cause`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-1")
                let link = StreamProgress(peripheral.connect())
                try await Lab.pass(.milliseconds(200))
                #expect(link.now.count == 0)
                try Outage.kill.begin()
                let start = Moment.now
                let end = try await link.wait(atMost: 10) { $0.error != nil }.time - start
                print("kill: the connection attempt ended after \([end].seconds).")
                #expect(link.now.error?.kind == .disconnected(.daemon))
                let count = link.now.count
                try await Outage.kill.end()
                try MachineSpeed.expect(end, isBelow: 1)
                try await manager.withConnection(to: "HRM-1") { _ in }
                #expect(link.now.count == count)
            }
        }

        // MARK: With reconnection

        @Test(.proves(.S15, .Q2, .Q32, .Q38), arguments: Outage.allCases)
        func `A resuming scan emits again within 5 s of the end of an outage`(outage: Outage) async throws {
            try await Lab.withManager { manager in
                let states = StreamProgress(manager.state)
                let scan = Self.everything(manager, resumes: true)
                try await scan.wait { $0.count > 5 }
                try outage.begin()
                try await states.wait { $0.last == outage.state }
                let before = scan.now.count
                try await Lab.pass(.seconds(1))
                #expect(scan.now.count == before)
                async let end: Void = outage.end()
                let back = try await states.wait { $0.last != outage.state }.time
                let heard = try await scan.wait { $0.count > before }.time
                try await end
                print("\(outage): the scan resumed \([heard - back].seconds) after the end of the outage.")
                // The kernel continues the scan of a killed bluetoothd for up to 10.24 s. As these tests run as root,
                // the library can stop that scan, so the new one starts earlier (Q38).
                try MachineSpeed.expect(heard - back, isBelow: 5)
                #expect(scan.now.error == nil)
                try await Self.expectSilence(after: scan, manager)
            }
        }

        @Test(.proves(.S15, .Q38)) func `A resuming scan emits within 5 s when the kernel has ended the old scan`()
            async throws
        {
            try await Lab.withManager { manager in
                let states = StreamProgress(manager.state)
                let scan = Self.everything(manager, resumes: true)
                try await scan.wait { $0.count > 5 }
                try Outage.kill.begin()
                try await states.wait { $0.last == Outage.kill.state }
                let before = scan.now.count
                try await Lab.pass(.seconds(11))
                async let end: Void = Outage.kill.end()
                let back = try await states.wait { $0.last != Outage.kill.state }.time
                let heard = try await scan.wait { $0.count > before }.time
                try await end
                print("kill: the scan resumed \([heard - back].seconds) after the end of an outage of 11 s.")
                try MachineSpeed.expect(heard - back, isBelow: 5)
                try await Self.expectSilence(after: scan, manager)
            }
        }

        @Test(.proves(.S78, .S91, .Q2, .Q32), arguments: Outage.allCases)
        func `A reconnecting peripheral notifies within 5 s of the end of an outage`(outage: Outage) async throws {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-1")
                let states = StreamProgress(manager.state)
                let links = StreamProgress(peripheral.connectionState)
                let values = StreamProgress(peripheral.connect(options: .reconnect()).flatMap { Self.beats(of: $0) })
                try await values.wait { $0.count > 10 }
                try outage.begin()
                let start = Moment.now
                let lost = try await links.wait(atMost: 10) { $0.last != .connected }.time - start
                try MachineSpeed.expect(lost, isBelow: 1)
                try await states.wait { $0.last == outage.state }
                try await Lab.pass(.seconds(1))
                let before = values.now.count
                async let end: Void = outage.end()
                let back = try await states.wait { $0.last != outage.state }.time
                let heard = try await values.wait { $0.count > before }.time
                try await end
                print("\(outage): lost after \([lost].seconds), notified \([heard - back].seconds) after its end.")
                try MachineSpeed.expect(heard - back, isBelow: 5)
                try await values.wait(atMost: 10) { $0.count > before + 20 }
                #expect(values.now.error == nil)
                #expect(links.now.last == .connected)
                try await Self.expectSilence(after: values, manager)
            }
        }

        @Test(.proves(.S78, .Q2))
        func `A connection attempt succeeds within 5 s of the restart of bluetoothd`()
            async throws
        {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-2")
                let states = StreamProgress(manager.state)
                let link = StreamProgress(peripheral.connect(options: .reconnect()))
                try await Lab.pass(.milliseconds(200))
                #expect(link.now.count == 0)
                try Outage.kill.begin()
                try await states.wait { $0.last == Outage.kill.state }
                try await Lab.pass(.seconds(1))
                async let end: Void = Outage.kill.end()
                let back = try await states.wait { $0.last != Outage.kill.state }.time
                let made = try await link.wait { $0.count == 1 }.time
                try await end
                print("kill: connected \([made - back].seconds) after the restart of bluetoothd.")
                try MachineSpeed.expect(made - back, isBelow: 5)
                #expect(link.now.error == nil)
                try await Self.expectSilence(after: link, manager)
            }
        }

        @Test(.proves(.S91), arguments: Outage.allCases)
        func `Streams disposed of during an outage emit nothing and do not restart`(
            outage: Outage
        ) async throws {
            try await Lab.withManager { manager in
                let peripheral = try await manager.peripheral(named: "HRM-0")
                let scan = Self.everything(manager, resumes: true)
                let values = StreamProgress(peripheral.connect(options: .reconnect()).flatMap { Self.beats(of: $0) })
                try await values.wait { $0.count > 10 }
                let states = StreamProgress(manager.state)
                try outage.begin()
                try await states.wait { $0.last == outage.state }
                scan.dispose()
                values.dispose()
                let counts = [scan.now.count, values.now.count]
                try await outage.end()
                try await states.wait { $0.last == .poweredOn }
                try await Lab.pass(.seconds(3))
                #expect([scan.now.count, values.now.count] == counts)
                try await Lab.expectNothingLeft()
            }
        }

        /// Disposes of a stream while its device continues to send, and expects no further events.
        private static func expectSilence<Element>(
            after progress: StreamProgress<Element>, _ manager: BluetoothManager
        ) async throws {
            progress.dispose()
            let count = progress.now.count
            try await manager.settled().value
            try await Lab.pass(.milliseconds(500))
            #expect(progress.now.count == count)
            #expect(progress.now.error == nil)
        }

        @Test func `Reconnection continues while the peripheral drops each link`() async throws {
            try await Lab.withManager { manager in
                let flaky = try await manager.peripheral(named: "FLAKY")
                let connected = StreamProgress(flaky.connectionState.filter { $0 == .connected })
                let often = Reconnection(maximumDelay: .milliseconds(250))
                let values = StreamProgress(flaky.connect(options: .reconnect(often)).flatMap { Self.beats(of: $0) })
                try await connected.wait(atMost: 60) { $0.count == 3 }
                #expect(values.now.error == nil)
                values.dispose()
                try await manager.settled().value
            }
        }

        // MARK: On the command line

        @Test(.proves(.S78), arguments: Outage.allCases)
        func `notify with --reconnect continues after an outage and reports it`(outage: Outage) async throws {
            let disturbing = Task.detached {
                // Waits before the outage, because on a busy host the first value of a program arrives after many
                // seconds.
                try await Lab.pass(.seconds(18))
                try outage.begin()
                try await Lab.pass(.seconds(1))
                try await outage.end()
            }
            let notify = try Command.bleCLI("notify", "HRM-1", "2A37", "--reconnect", "--timeout", "30")
            try await disturbing.value
            #expect(notify.status == 0, "\(notify.errors)")
            #expect(notify.errors.contains(outage == .kill ? "bluetoothd stopped" : "the adapter was switched off"))
            #expect(notify.errors.contains("connected again"))
            #expect(notify.output.split(separator: "\n").count > 100)
            try await Lab.expectNothingLeft(within: CLITests.closing)
        }

        @Test(arguments: Outage.allCases)
        func `notify without --reconnect ends at an outage and reports the cause`(outage: Outage) async throws {
            let disturbing = Task.detached {
                // Waits before the outage, because on a busy host the first value of a program arrives after many
                // seconds.
                try await Lab.pass(.seconds(18))
                defer { try? outage.begin() }
                return Moment.now
            }
            let notify = try Command.bleCLI("notify", "HRM-1", "2A37", "--timeout", "40")
            let end = Moment.now
            let time = end - (try await disturbing.value)
            print("\(outage): the program ended after \([time].seconds).")
            try await outage.end()
            try MachineSpeed.expect(time, isBelow: 5)
            #expect(notify.status == 5, "\(notify.errors)")
            #expect(notify.errors.contains(outage == .kill ? "bluetoothd stopped" : "the adapter was switched off"))
            #expect(notify.output.split(separator: "\n").count > 10)
            // Waits for the link to end: the kernel keeps the link of a killed bluetoothd for 2 s, and the new
            // bluetoothd shows it.
            try await Lab.expectNothingLeft(within: 60)
        }
    }
}

extension [Double] {
    fileprivate var seconds: String { map { String(format: "%.2f s", $0) }.joined(separator: ", ") }
}
