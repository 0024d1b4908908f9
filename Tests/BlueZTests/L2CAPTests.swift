import Dispatch
import Foundation
import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    @Suite struct L2CAPTests {
        /// The largest packet that the peripheral sends, so that it can echo what it receives.
        private static let options = L2CAPChannelOptions(receiveMTU: 2048)

        /// Bytes in which each part is different. Whole blocks are appended, because a computation for each byte would
        /// take longer in the machine than the transfer of many.
        private static func data(_ count: Int) -> [UInt8] {
            let block = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 11) }
            var data: [UInt8] = []
            while data.count < count {
                let number = data.count / block.count
                data += [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
                data += block.dropFirst(2)
            }
            return Array(data.prefix(count))
        }

        @Test(.proves(.S114, .S115), .timeLimit(.minutes(30)))
        func `An echo returns 10 MB in order and without loss`() async throws {
            // In software emulation, the figure can be reduced by the environment.
            let environment = ProcessInfo.processInfo.environment["RXBLUETOOTH_L2CAP_BYTES"]
            let count = environment.flatMap(Int.init) ?? 10_000_000
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0", within: 1_700) { peripheral in
                    let data = Self.data(count)
                    let start = ContinuousClock.now
                    let echoed = try await peripheral.openL2CAPChannel(psm: 0x80, options: Self.options)
                        .flatMap { channel -> Observable<[UInt8]> in
                            let sent = channel.write(data).asObservable().map { (_: Never) -> [UInt8] in }
                            return Observable.merge(channel.received, sent)
                        }
                        .scan(into: [UInt8]()) { received, packet in
                            // The lines show that a run on a slow machine has not stopped.
                            if received.count / 1_000_000 != (received.count + packet.count) / 1_000_000 {
                                print("L2CAP echo: \((received.count + packet.count) / 1_000_000) MB")
                            }
                            received += packet
                        }
                        .filter { $0.count >= count }
                        .take(1).asSingle().value
                    #expect(echoed == data)
                    let seconds = (ContinuousClock.now - start) / .seconds(1)
                    print("L2CAP echo: \(count) bytes in \(seconds) s, \(Double(count) / seconds / 1000) kB/s")
                }
            }
        }

        @Test(.proves(.S114, .Q117)) func `A PSM that no program serves is refused`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    let error = await #expect(throws: BluetoothError.self) {
                        try await peripheral.openL2CAPChannel(psm: 0x99).firstValue()
                    }
                    #expect(error?.kind == .channelRefused)
                }
            }
        }

        @Test(.proves(.S116)) func `A free PSM is published, and a PSM in use is a typed error`() async throws {
            try await Lab.withManager { manager in
                let listener = manager.publishL2CAPChannel(psm: 0xC8)
                _ = try await listener.flatMap { first -> Observable<L2CAPListener> in
                    #expect(first.psm == 0xC8)
                    return manager.publishL2CAPChannel(psm: 0xC8).catch { error in
                        #expect((error as? BluetoothError)?.code == "registration-failed")
                        return .just(first)
                    }
                }.firstValue()
                #expect(try await manager.publishL2CAPChannel().firstValue().psm >= 0x80)
            }
        }
    }

    @Suite struct LinkFactsTests {
        @Test(.proves(.S118)) func `Role and RSSI of a live link are known, the timing is not`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    let facts = try await peripheral.readLinkFacts().value
                    #expect(facts.role == .known(.central))
                    #expect(facts.rssi == .known(-52))
                    #expect(facts.interval.value == nil)
                    // The tests run as root, which may read the PHY.
                    #expect(facts.phy == .known(LinkPHYs(transmit: .oneMegabit, receive: .oneMegabit)))
                    print("Link facts: PHY \(facts.phy), interval \(facts.interval)")
                    try await peripheral.requestConnectionParameters(.balanced).value
                }
            }
        }
    }

    @Suite struct DirectConnectionTests {
        @Test(.proves(.S112)) func `A device is connected by its address without a scan of the program`() async throws {
            try await Lab.withManager { manager in
                let address = try await manager.peripheral(named: "HRM-1").address
                try await manager.peripheral(named: "HRM-1").forget().value
                try await Self.connect(manager, to: address, expectsScan: false)
            }
        }

        @Test(.proves(.S112)) func `If bluetoothd has no ConnectDevice, a scan of the manager finds the device`()
            async throws
        {
            try await Lab.withManager { manager in
                let address = try await manager.peripheral(named: "HRM-1").address
                try await manager.peripheral(named: "HRM-1").forget().value
                try await Outage.withoutExperimentalMethods {
                    _ = try await manager.state.filter { $0 == .poweredOn }.firstValue()
                    try await Self.connect(manager, to: address, expectsScan: true)
                    try await manager.settled().value
                }
            }
        }

        /// Connects by address, and expects that the manager scans meanwhile or not.
        private static func connect(
            _ manager: BluetoothManager, to address: BluetoothAddress, expectsScan: Bool
        ) async throws {
            let scanning = ReplaySubject<Bool>.createUnbounded()
            let subscription = manager.isScanning.subscribe(scanning)
            let peripheral = try await manager.connect(to: address, kind: .random).firstValue()
            #expect(peripheral.address == address)
            subscription.dispose()
            scanning.onCompleted()
            #expect(try await scanning.allValues().contains(true) == expectsScan)
        }

        @Test(.proves(.S109, .S110)) func `The adapter is switched off and on, and named`() async throws {
            try await Lab.withManager { manager in
                try await manager.setPowered(false).value
                #expect(try await manager.state.firstValue() == .poweredOff)
                try await manager.setAlias("lab").value
                try await manager.setPowered(true).value
                #expect(try await manager.state.firstValue() == .poweredOn)
                #expect(try await manager.adapters.filter { $0.first?.alias == "lab" }.firstValue().count == 1)
                try await manager.setAlias(nil).value
            }
        }
    }
}
