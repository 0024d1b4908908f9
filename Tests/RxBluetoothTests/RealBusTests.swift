import DBus
import Dispatch
import RxBluetooth
import RxBluetoothMocks
import Testing

/// The whole way over a real dbus-daemon and libdbus, with the same simulated bluetoothd at its end. These run on the real
/// clock, because libdbus and another process are in between.
@Suite(.timeLimit(.minutes(1)))
struct RealBusTests {
    private let patience: RxTimeInterval = .seconds(20)
    private let clock = SerialDispatchQueueScheduler(qos: .default)

    private func first<Element: Sendable>(_ stream: Observable<Element>) async throws -> Element {
        try await stream.take(1).timeout(patience, scheduler: clock).asSingle().value
    }

    @Test func `The whole way works over a real bus`() async throws {
        let bus = try RealBus()
        let address = bus.address
        let daemon = SimulatedBlueZ(.everyday) { Connection.open(.address(address)) }
        let manager = BluetoothManager(scheduler: clock) { Connection.open(.address(address)) }
        daemon.start()
        // The daemon may come after us, and then the state tells.
        #expect(try await first(manager.state.filter { $0 == .poweredOn }) == .poweredOn)

        let strap = try await first(manager.scanForPeripherals(withServices: [0x180D])).peripheral
        #expect(strap.name == "Heart rate strap")
        let values = try await first(
            strap.connect()
                .flatMap { $0.discoverServices([0x180D]) }
                .flatMap { $0.discoverCharacteristics() }
                .toDictionary()
                .flatMap { found -> Observable<[[UInt8]]> in
                    let (rate, location, control) = (found[0x2A37]!, found[0x2A38]!, found[0x2A39]!)
                    return Observable.concat([
                        location.readValue().asObservable(),
                        control.writeValue([0x2A]).andThen(control.readValue().asObservable()),
                        rate.observeValueUpdates().take(2),
                    ])
                    .take(4).toArray().asObservable()
                })
        #expect(values == [[0x01], [0x2A], [0x00, 62], [0x00, 63]])
        try await manager.settled().value
        let called = daemon.calls.map(\.member)
        for pair in [("StartDiscovery", "StopDiscovery"), ("Connect", "Disconnect"), ("StartNotify", "StopNotify")] {
            #expect(called.count { $0 == pair.0 } == 1)
            #expect(called.count { $0 == pair.1 } == 1)
        }

        daemon.crash()
        #expect(try await first(manager.state.filter { $0 != .poweredOn }) == .daemonUnavailable)
        bus.stop()
        #expect(try await first(manager.state.filter { $0 == .busUnavailable }) == .busUnavailable)
        try await manager.close().value
    }

    @Test func `A bus that is not there is a state with its own error`() async throws {
        let manager = BluetoothManager(scheduler: clock) { Connection.open(.address("unix:path=/nonexistent/bus")) }
        #expect(try await first(manager.state) == .busUnavailable)
        let error = await #expect(throws: BluetoothError.self) { _ = try await first(manager.scanForPeripherals()) }
        #expect(error?.kind == .busUnavailable)
        #expect(error?.dbusName == "org.freedesktop.DBus.Error.FileNotFound")
    }
}

extension Observable<Characteristic> {
    /// The three characteristics by UUID. Completing would end the connection upstream.
    fileprivate func toDictionary() -> Observable<[BluetoothUUID: Characteristic]> {
        scan(into: [:]) { $0[$1.uuid] = $1 }.filter { $0.count == 3 }
    }
}
