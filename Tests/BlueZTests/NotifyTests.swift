import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    @Suite struct NotifyTests {
        @Test(.proves(.S76)) func `A thousand notifications arrive in order and without loss`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "LOUD") { peripheral in
                    let loud = try await peripheral.characteristic(0xFFE0, 0xFFE1)
                    let values = try await loud.observeValueUpdates().take(1_000).allValues()
                    let counts = values.map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
                    #expect(counts == (0..<1_000).map { counts[0] + $0 })
                }
            }
        }

        @Test(.proves(.S81, .Q102)) func `A thousand values arrive over the socket in order and without loss`()
            async throws
        {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "LOUD") { peripheral in
                    let loud = try await peripheral.characteristic(0xFFE0, 0xFFE1)
                    // The second round works only if the library released the socket of the first round.
                    for _ in 0..<2 {
                        let values = try await loud.observeValueUpdates(using: .socket).take(1_000).allValues()
                        let counts = values.map { $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
                        #expect(counts == (0..<1_000).map { counts[0] + $0 })
                    }
                    #expect(loud.droppedValueCount == 0)
                    // Notifications over signals must work again, because the socket is released.
                    #expect(try await loud.observeValueUpdates().take(10).allValues().count == 10)
                }
            }
        }

        @Test(.proves(.S69)) func `Two subscribers share one notify session, and a later one starts another`()
            async throws
        {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-2") { peripheral in
                    let beats = try await peripheral.characteristic(0x180D, 0x2A37).observeValueUpdates()
                    let both = try await Observable<Bool>.zip(beats.take(5), beats.take(5)) { $0 == $1 }.allValues()
                    #expect(both.count == 5)
                    #expect(try await beats.take(3).allValues().count == 3)
                }
            }
        }

        @Test(.proves(.Q95)) func `A read is not emitted as a notification`() async throws {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { peripheral in
                    // This battery never notifies, so any emitted value would be the echo of a read.
                    let battery = try await peripheral.characteristic(0x180F, 0x2A19)
                    let reads = Observable<[UInt8]>.concat((0..<3).map { _ in battery.readValue().asObservable() })
                    let seen = try await battery.observeValueUpdates().map { _ in "notified" }
                        .merge(with: reads.takeLast(1).map { _ in "read" })
                        .firstValue()
                    #expect(seen == "read")
                }
            }
        }

        @Test(.proves(.S29, .S59, .S74)) func `Link loss by the peripheral ends notifications with disconnected`()
            async throws
        {
            try await Lab.withManager { manager in
                let error = await #expect(throws: BluetoothError.self) {
                    try await manager.withConnection(to: "FLAKY") { peripheral in
                        let beats = try await peripheral.characteristic(0x180D, 0x2A37)
                        _ = try await beats.observeValueUpdates().ignoreElements().asCompletable().value
                    }
                }
                #expect(error?.kind == .disconnected(Lab.reasonOfLoss))
            }
        }

        @Test(.proves(.S32, .S35)) func `A peripheral connects again after link loss`() async throws {
            try await Lab.withManager { manager in
                for _ in 0..<2 {
                    let flaky = try await manager.peripheral(named: "FLAKY")
                    let error = await #expect(throws: BluetoothError.self) {
                        _ = try await flaky.connect().ignoreElements().asCompletable().value
                    }
                    #expect(error?.kind == .disconnected(Lab.reasonOfLoss))
                }
            }
        }

        @Test(.proves(.S68, .S70)) func `Two devices notify at once, and each value reaches every subscriber`()
            async throws
        {
            try await Lab.withManager { manager in
                try await manager.withConnection(to: "HRM-0") { first in
                    try await manager.withConnection(to: "HRM-2") { second in
                        let (one, two) = (
                            try await first.characteristic(0x180D, 0x2A37),
                            try await second.characteristic(0x180D, 0x2A37)
                        )
                        let values = try await Observable.zip(
                            one.observeValueUpdates(), one.observeValueUpdates(), two.observeValueUpdates()
                        ) { ($0, $1, $2) }.take(10).allValues()
                        #expect(values.allSatisfy { $0.0 == $0.1 })
                    }
                }
            }
        }
    }
}

extension ObservableType {
    fileprivate func merge(with other: Observable<Element>) -> Observable<Element> {
        Observable<Element>.merge([asObservable(), other])
    }
}
