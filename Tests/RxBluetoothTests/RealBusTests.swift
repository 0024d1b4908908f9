import BusTesting
import DBus
import Dispatch
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// The client over libdbus and a real dbus-daemon, with the simulated bluetoothd.
///
/// These tests use the real clock, because dbus-daemon is another process.
@Suite(.timeLimit(.minutes(5)))
struct RealBusTests {
    private let timeout: RxTimeInterval = .seconds(120)
    private let clock = SerialDispatchQueueScheduler(qos: .default)

    private func first<Element: Sendable>(_ stream: Observable<Element>) async throws -> Element {
        try await stream.take(1).timeout(timeout, scheduler: clock).asSingle().value
    }

    @Test func `A whole session works over a real bus, and a crash or a lost bus is a state`() async throws {
        let bus = try DBusDaemon()
        let address = bus.address
        let daemon = SimulatedBlueZ(.everyday) { Connection.open(.address(address)) }
        let manager = BluetoothManager(configuration: .init(scheduler: clock)) { Connection.open(.address(address)) }
        daemon.start()
        // Waits for the state: the daemon may start after the manager, which then first reports daemonUnavailable.
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

    @Test(.proves(.Q14), .timeLimit(.minutes(5)))
    func `Characteristic sockets work over a real bus, and closing one releases it`() async throws {
        let bus = try DBusDaemon()
        let address = bus.address
        let daemon = SimulatedBlueZ(.everyday) { Connection.open(.address(address)) }
        let manager = BluetoothManager(configuration: .init(scheduler: clock)) { Connection.open(.address(address)) }
        daemon.start()
        _ = try await first(manager.state.filter { $0 == .poweredOn })
        let strap = try await first(manager.scanForPeripherals(withServices: [0x180D])).peripheral
        let (discoveries, discovered) = AsyncStream<Bool>.makeStream()
        let client = Connection.open(.address(address))
        let link = strap.connect().flatMap { $0.discoverServices([0x180D]) }
            .subscribe(onNext: { _ in discovered.yield(true) })
        for await _ in discoveries { break }
        let path = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01/service000a/"
        let writing = try await acquire("AcquireWrite", path + "char0010", on: client)
        #expect(writing.send([0x33]))
        // Reads until the written value arrives: the socket and the bus are separate, so a read can overtake the write.
        while try await property("Value", path + "char0010", on: client, reading: true) != .bytes([0x33]) {}
        writing.close()
        while try await property("WriteAcquired", path + "char0010", on: client) != .bool(false) {}
        let values = try await acquire("AcquireNotify", path + "char000b", on: client)
        var value = PacketSocket.ReceiveResult.nothing
        while value == .nothing {
            _ = try await property("NotifyAcquired", path + "char000b", on: client)
            value = values.receive()
        }
        #expect(value == .packet([0, 62]))
        link.dispose()
        client.close()
        try await manager.close().value
        daemon.crash()
        bus.stop()
    }

    private func acquire(_ method: String, _ path: String, on bus: Connection) async throws -> TestSocket {
        let call = try Message.call(
            to: "org.bluez", path: #require(ObjectPath(path)), interface: "org.bluez.GattCharacteristic1",
            member: method, { (body) throws(DBusError) in try body.properties([:]) })
        return try await answer(call, on: bus).read { (body) throws(DBusError) in
            TestSocket(try body.descriptor())
        }
    }

    /// Returns the value of a property. With `reading`, it calls ReadValue first.
    private func property(
        _ name: String, _ path: String, on bus: Connection, reading: Bool = false
    ) async throws -> Value {
        let path = try #require(ObjectPath(path))
        if reading {
            _ = try await answer(
                .call(
                    to: "org.bluez", path: path, interface: "org.bluez.GattCharacteristic1", member: "ReadValue",
                    { (body) throws(DBusError) in try body.properties([:]) }), on: bus)
        }
        let call = try Message.call(
            to: "org.bluez", path: path, interface: "org.freedesktop.DBus.Properties", member: "Get"
        ) { (body) throws(DBusError) in
            try body.string("org.bluez.GattCharacteristic1")
            try body.string(name)
        }
        return try await answer(call, on: bus).read { (body) throws(DBusError) in
            try body.variant { (inner) throws(DBusError) in try inner.value() }
        }
    }

    private func answer(_ call: Message, on bus: Connection) async throws -> Message {
        // The reply is passed through a lock: the thread sanitizer reports a false race for the value of a continuation
        // that is resumed before it is awaited.
        let answer = Guarded<Result<Message, DBusError>?>(nil)
        await withCheckedContinuation { waiter in
            bus.call(call, timeout: .seconds(60)) { result in
                answer.withLock { $0 = result }
                waiter.resume()
            }
        }
        return try #require(answer.withLock { $0 }).get()
    }

    @Test func `A missing bus is reported as busUnavailable with its D-Bus error`() async throws {
        let manager = BluetoothManager(configuration: .init(scheduler: clock)) {
            Connection.open(.address("unix:path=/nonexistent/bus"))
        }
        #expect(try await first(manager.state) == .busUnavailable)
        let error = await #expect(throws: BluetoothError.self) { _ = try await first(manager.scanForPeripherals()) }
        #expect(error?.kind == .busUnavailable)
        #expect(error?.dbusName == "org.freedesktop.DBus.Error.FileNotFound")
    }
}

extension Observable<Characteristic> {
    /// Emits the three characteristics by their UUIDs, and does not complete.
    ///
    /// Completion would close the link.
    fileprivate func toDictionary() -> Observable<[BluetoothUUID: Characteristic]> {
        scan(into: [:]) { $0[$1.uuid] = $1 }.filter { $0.count == 3 }
    }
}
