import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Streams of writes without response, over a socket.
struct CharacteristicWriterTests {
    private final class Sink: Sendable {
        private let taken = Guarded<[[UInt8]]>([])
        func take(_ value: [UInt8]) { taken.withLock { $0.append(value) } }
        var values: [[UInt8]] { taken.withLock { $0 } }
    }

    /// The daemon's end of the socket of AcquireWrite.
    ///
    /// The test never reads from this end, and keeps it open until `close()`.
    private final class OtherEnd: Sendable {
        private let socket = Guarded<SharedSocket?>(nil)

        init(of daemon: ScriptedDaemon) {
            daemon.always("AcquireWrite") { [self] call in
                let ours = try? SharedSocket(
                    PacketSocket.pair { (theirs) throws(DBusError) in
                        call.reply { (body) throws(DBusError) in
                            body.descriptor(theirs)
                            body.uint16(100)
                        }
                    })
                socket.withLock { $0 = ours }
            }
        }

        func close() { socket.withLock { $0 = nil } }
    }

    private let sink: Sink
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>
    let characteristic: Characteristic

    init() {
        let sink = Sink()
        self.sink = sink
        stage = Stage(with: [
            SimulatedPeripheral("Sensor", address: Sensor.text) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
                SimulatedConnection(mtu: 103)
                SimulatedService("fff0") {
                    SimulatedCharacteristic("fff1", .read([1]), .writeWithoutResponse { sink.take($0) })
                    SimulatedCharacteristic("fff2", .read([1]), .write)
                }
            }
        ])
        peripheral = stage.find(Sensor.address)
        link = stage.connect(peripheral)
        characteristic = stage.characteristic(Sensor.value, of: peripheral)
        stage.simulation.bluez.forgetCalls()
    }

    @Test(.proves(.Q97), .covers(.writeSocket))
    func `A stream of writes uses one call and releases the characteristic at its end`() {
        let count = 2_000
        let writing = stage.record(
            characteristic.acquireWrite().flatMap { writer in
                Observable<Int>.range(start: 0, count: count)
                    .concatMap { writer.write([UInt8($0 >> 8), UInt8($0 & 0xFF)]) }
                    .ignoreElements().asCompletable().andThen(Observable.just(true))
            })
        stage.advance(500)
        #expect(writing.elements.count == 1)
        #expect(sink.values == (0..<count).map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        #expect(stage.methods == ["AcquireWrite"])
        let refused = stage.record(characteristic.writeValue([1], type: .withoutResponse))
        stage.advance(10)
        #expect(refused.kind == .exclusiveUse)
        writing.dispose()
        stage.advance(10)
        let after = stage.record(characteristic.writeValue([1], type: .withoutResponse))
        stage.advance(10)
        #expect(after.isCompleted)
        #expect(sink.values.last == [1])
    }

    @Test(.proves(.Q100)) func `The writer refuses empty and oversized values and a second user`() {
        let writers = stage.record(characteristic.acquireWrite())
        stage.advance(10)
        guard let writer = writers.elements.first else { return #expect(Bool(false)) }
        #expect(writer.maximumLength == 100)
        let kinds = [0, 101].map {
            stage.record(writer.write([UInt8](repeating: 7, count: $0))).outcome(stage)
        }
        #expect(kinds == [.invalidArgument, .invalidArgument])
        let fits = stage.record(writer.write([UInt8](repeating: 7, count: 100)))
        stage.advance(5)
        #expect(fits.isCompleted)
        #expect(sink.values == [[UInt8](repeating: 7, count: 100)])
        let second = stage.record(characteristic.acquireWrite())
        #expect(second.outcome(stage) == .exclusiveUse)
        writers.dispose()
        #expect(stage.record(writer.write([1])).outcome(stage) == .closed)
        let other = stage.characteristic(Sensor.notifying, of: peripheral)
        #expect(stage.record(other.acquireWrite()).outcome(stage) == .notPermitted)
    }

    @Test(.proves(.S63)) func `Writes that wait for room fail with the cause of the link's end`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        _ = OtherEnd(of: daemon)
        let writers = stage.record(stage.characteristic(0x2A37, of: peripheral).acquireWrite())
        stage.advance(0)
        guard let writer = writers.elements.first else { return #expect(Bool(false)) }
        let writes = (0..<2_000).map { _ in stage.record(writer.write([1])) }
        stage.advance(10)
        let done = writes.count { $0.isCompleted }
        #expect((1..<2_000).contains(done))
        daemon.crash()
        stage.advance(0)
        #expect(writes.count { $0.kind == .disconnected(.daemon) } == 2_000 - done)
        #expect(writers.kind == .disconnected(.daemon))
        #expect(link.kind == .disconnected(.daemon))
    }

    @Test(.proves(.S59)) func `A socket that bluetoothd closes fails all writes with one cause`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let otherEnd = OtherEnd(of: daemon)
        daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let writers = stage.record(stage.characteristic(0x2A37, of: peripheral).acquireWrite())
        stage.advance(0)
        guard let writer = writers.elements.first else { return #expect(Bool(false)) }
        let writes = (0..<2_000).map { _ in stage.record(writer.write([1])) }
        stage.advance(10)
        let done = writes.count { $0.isCompleted }
        #expect(done < 2_000)
        otherEnd.close()
        stage.advance(100)
        #expect(writers.kind == .bluez)
        #expect(writes.count { $0.kind == .bluez } == 2_000 - done)
        #expect(stage.record(writer.write([2])).outcome(stage) == .bluez)
        #expect(link.isLive)
    }

    @Test(.proves(.Q107)) func `A lost link ends the writer with the link's reason`() {
        let writers = stage.record(characteristic.acquireWrite())
        stage.advance(10)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(10)
        #expect(writers.kind == .linkLost(.remote))
        #expect(link.kind == .linkLost(.remote))
    }
}
