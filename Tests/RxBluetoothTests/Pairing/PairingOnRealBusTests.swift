import BusTesting
import DBus
import Dispatch
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Pairing over libdbus and a real dbus-daemon.
///
/// The tests use the real clock, because dbus-daemon is another process.
@Suite(.timeLimit(.minutes(5)))
struct PairingOnRealBusTests {
    private let clock = SerialDispatchQueueScheduler(qos: .default)

    private func first<Element: Sendable>(_ stream: Observable<Element>) async throws -> Element {
        try await stream.take(1).timeout(.seconds(120), scheduler: clock).asSingle().value
    }

    @Test(.proves(.Q25)) func `The agent is registered and answers requests over a real bus`() async throws {
        let bus = try DBusDaemon()
        let address = bus.address
        let lock = Lock.make(SimulatedPairing(.passkeyShown(42)), needing: .authentication)
        let daemon = SimulatedBlueZ(Scenario(peripherals: [lock])) { Connection.open(.address(address)) }
        let manager = BluetoothManager(
            configuration: .init(scheduler: clock, pairing: PairingPolicy(.ask, isDefault: true))
        ) {
            Connection.open(.address(address))
        }
        daemon.start()
        _ = try await first(manager.state.filter { $0 == .poweredOn })
        let answering = manager.pairingRequests.subscribe(onNext: { request in
            #expect(request.question == .passkey)
            _ = try? request.answer(.passkey(42))
        })
        // bluetoothd removes an unpaired device 30 s after its last advertisement. This scan prevents that if the
        // machine is busy.
        let scan = manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)).subscribe()
        let peripheral = try await first(manager.peripheral(Lock.address))
        // Reading this protected value makes bluetoothd send a pairing request to the agent.
        let value = try await first(
            peripheral.connect().flatMap { $0.discoverServices([0xFFF0]) }.flatMap {
                $0.discoverCharacteristics([Lock.secret])
            }
            .flatMap { $0.readValue().asObservable() })
        #expect(value == [7])
        #expect(try await first(peripheral.isBonded.filter { $0 }))
        try await peripheral.forget().value
        #expect(try await first(peripheral.isBonded) == false)
        let again = try await first(manager.peripheral(Lock.address))
        try await again.pair().value
        #expect(daemon.calls.count { $0.member == "RegisterAgent" } == 1)
        #expect(daemon.calls.count { $0.member == "RequestDefaultAgent" } == 1)
        answering.dispose()
        scan.dispose()
        try await manager.close().value
        daemon.stop()
    }
}
