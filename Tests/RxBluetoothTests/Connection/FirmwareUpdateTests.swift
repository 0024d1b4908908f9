import DBus
import Foundation
import RxBluetooth
import RxBluetoothMocks
import SoakTesting
import TestTraits
import Testing

/// Firmware updates that move handles while operations wait, run or are submitted.
struct FirmwareUpdateTests {
    /// The number of updates of the long test. The variable `RXBLUETOOTH_UPDATES` sets another number.
    private static let updates = ProcessInfo.processInfo.environment["RXBLUETOOTH_UPDATES"].flatMap { Int($0) } ?? 500

    /// The values that reached an attribute which does not belong to them.
    private final class Strays: Sendable {
        private let all = Guarded<[String]>([])
        private let count = Guarded(0)

        var texts: [String] { all.withLock { $0 } }
        /// The number of writes that reached their attribute.
        var hits: Int { count.withLock { $0 } }

        func check(_ value: [UInt8], _ tag: UInt8) {
            if value.first == tag {
                count.withLock { $0 += 1 }
            } else {
                all.withLock { $0.append("\(value) reached \(tag)") }
            }
        }
    }

    private static let tags: [UInt8] = [1, 2, 3]

    /// Returns the services of a firmware version. Each version has the characteristics in another order.
    ///
    /// So the handles, and the paths that bluetoothd derives from them, have other UUIDs in each version. The value of
    /// a characteristic begins with its tag, as each value that is written to it.
    private static func services(_ version: Int, _ strays: Strays) -> [SimulatedService] {
        let order = (0..<tags.count).map { tags[($0 + version) % tags.count] }
        let hash = (0..<16).map { UInt8(truncatingIfNeeded: version >> ($0 % 4 * 8)) }
        return [
            SimulatedService("1801") {
                SimulatedCharacteristic("2a05", .indicate)
                SimulatedCharacteristic("2b2a", .read(hash))
            },
            SimulatedService("fff0") {
                for tag in order {
                    SimulatedCharacteristic(
                        "fff\(tag)", .read([tag]),
                        .write {
                            strays.check($0, tag)
                            return .accepted
                        }, descriptors: [SimulatedDescriptor("290\(tag)", [tag], writable: true)])
                }
            },
        ]
    }

    private static func stage(_ strays: Strays) -> (Stage, Peripheral) {
        var sensor = SimulatedPeripheral("Sensor", address: Sensor.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
        }
        sensor.services = services(0, strays)
        let stage = Stage(with: [sensor])
        return (stage, stage.find(Sensor.address))
    }

    private static func tag(_ characteristic: Characteristic) -> UInt8 {
        tags.first { characteristic.uuid == BluetoothUUID(0xFFF0 + UInt16($0)) } ?? 0
    }

    @Test(.proves(.S53, .S105)) func `An operation that waits while its attribute is replaced is not sent`() {
        let strays = Strays()
        let (stage, peripheral) = Self.stage(strays)
        let link = stage.connect(peripheral)
        let characteristics = Self.tags.map { stage.characteristic(BluetoothUUID(0xFFF0 + UInt16($0)), of: peripheral) }
        let descriptors = characteristics.compactMap { characteristic in
            let found = stage.record(characteristic.discoverDescriptors())
            stage.advance(0)
            return found.elements.first
        }
        stage.simulation.bluez.forgetCalls()
        let gate = PublishSubject<Int>()
        // The queue stands still during the update, so the operations wait longer than bluetoothd needs for it.
        let access = stage.record(peripheral.exclusively { _ in gate.take(1) })
        stage.advance(0)
        let reads = characteristics.map { stage.record($0.readValue()) }
        let writes = characteristics.map { stage.record($0.writeValue([Self.tag($0)])) }
        let others = descriptors.map { stage.record($0.readValue()) }
        stage.simulation.bluez.changeServices(of: Sensor.text, to: Self.services(1, strays))
        stage.advance(2_000)
        gate.onNext(1)
        stage.advance(2_000)
        #expect(access.isCompleted && link.isLive && descriptors.count == 3)
        for kind in reads.map(\.kind) + writes.map(\.kind) + others.map(\.kind) { #expect(kind == .attributeNotFound) }
        #expect(stage.methods.isEmpty && strays.texts.isEmpty)
        let fresh = stage.record(stage.characteristic(0xFFF2, of: peripheral).readValue())
        stage.advance(100)
        #expect(fresh.elements == [[2]])
    }

    @Test(
        .proves(.S105), .covers(.staleAttributes), arguments: [ConnectOptions(), .reconnect(Reconnection(jitter: 0))])
    func `Updates at random moments let no operation reach a wrong attribute`(options: ConnectOptions) {
        let strays = Strays()
        let (stage, peripheral) = Self.stage(strays)
        let link = stage.record(peripheral.connect(options: options))
        stage.advance(1_000)
        var dice = Dice(seed: 7)
        var characteristics: [Characteristic] = []
        var reads = 0
        for version in 1...Self.updates {
            let found = stage.record(peripheral.discoverServices([0xFFF0]).flatMap { $0.discoverCharacteristics() })
            stage.advance(.random(in: 0..<5, using: &dice))
            // Some operations use attributes from before earlier updates.
            characteristics = (found.elements + characteristics.shuffled(using: &dice)).prefix(6).map { $0 }
            var running: [(UInt8, Recording<[UInt8]>)] = []
            var writes: [Recording<Never>] = []
            func submit() {
                for characteristic in characteristics where Bool.random(using: &dice) {
                    running.append((Self.tag(characteristic), stage.record(characteristic.readValue())))
                    writes.append(stage.record(characteristic.writeValue([Self.tag(characteristic)])))
                }
            }
            submit()
            stage.advance(.random(in: 0..<80, using: &dice))
            // Without a link, only the Database Hash shows the update.
            let isOffline = options.reconnection != nil && Bool.random(using: &dice)
            if isOffline { stage.simulation.bluez.dropLink(to: Sensor.text) }
            stage.simulation.bluez.changeServices(
                of: Sensor.text, announced: !isOffline, to: Self.services(version, strays))
            stage.advance(.random(in: 0..<80, using: &dice))
            submit()
            stage.advance(options.reconnection == nil ? 600 : 2_000)
            for (tag, read) in running {
                for value in read.elements where value.first != tag {
                    Issue.record("A read of \(tag) returned \(value) in update \(version).")
                }
                reads += read.elements.count
                #expect(!read.isLive)
            }
            withExtendedLifetime(writes) {}
            // The record of the calls would take several gigabytes for 100,000 updates.
            stage.simulation.bluez.forgetCalls()
        }
        #expect(strays.texts.isEmpty)
        #expect(link.isLive)
        // Many operations did run, so the test is not empty.
        #expect(reads > Self.updates / 20 && strays.hits > Self.updates / 20)
    }

    // MARK: Verification after a reconnection

    private static let hash = ScriptedDaemon.Objects.devicePath + "/service0001/char0002"

    /// Returns a bluetoothd with a device that has a Database Hash, and a connection that reconnects.
    private static func scripted(
        _ first: [UInt8] = [UInt8](repeating: 1, count: 16)
    ) -> (Stage, ScriptedDaemon, Recording<Peripheral>, Characteristic) {
        let objects = ScriptedDaemon.Objects.oneKnownDevice.adding([
            ScriptedDaemon.Objects.devicePath + "/service0001": [
                "org.bluez.GattService1": [
                    "UUID": .string("00001801-0000-1000-8000-00805f9b34fb"), "Primary": .bool(true),
                ]
            ],
            hash: [
                "org.bluez.GattCharacteristic1": [
                    "UUID": .string("00002b2a-0000-1000-8000-00805f9b34fb"), "Flags": .strings(["read"]),
                ]
            ],
        ])
        let (stage, daemon, peripheral) = Stage.scripted(objects)
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0))))
        connect(stage, daemon)
        #expect(link.elements.isEmpty)
        daemon.take("ReadValue").reply { $0.bytes(first) }
        stage.advance(0)
        #expect(link.elements == [peripheral])
        return (stage, daemon, link, stage.characteristic(0x2A37, of: peripheral))
    }

    /// Answers the pending Connect, and shows the services as read.
    private static func connect(_ stage: Stage, _ daemon: ScriptedDaemon) {
        stage.advance(1_000)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        stage.advance(0)
    }

    private static func reconnect(_ stage: Stage, _ daemon: ScriptedDaemon) {
        daemon.deviceChanges(["ServicesResolved": .bool(false)])
        daemon.deviceChanges(["Connected": .bool(false)])
        connect(stage, daemon)
    }

    @Test(.proves(.S106, .Q93)) func `After a reconnection, attributes are valid only if the hash is the same`() {
        let (stage, daemon, link, characteristic) = Self.scripted()
        Self.reconnect(stage, daemon)
        // The hash is read before any other operation.
        let early = stage.record(characteristic.readValue())
        stage.advance(0)
        #expect(early.kind == .notConnected && daemon.count("ReadValue") == 2)
        daemon.take("ReadValue").reply { $0.bytes([UInt8](repeating: 1, count: 16)) }
        stage.advance(0)
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([5]) }
        stage.advance(0)
        #expect(read.elements == [[5]])

        Self.reconnect(stage, daemon)
        daemon.take("ReadValue").reply { $0.bytes([UInt8](repeating: 2, count: 16)) }
        stage.advance(0)
        let stale = stage.record(characteristic.readValue())
        stage.advance(0)
        #expect(stale.kind == .attributeNotFound && daemon.count("ReadValue") == 4)
        let fresh = stage.record(stage.characteristic(0x2A37, of: characteristic.peripheral).readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([6]) }
        stage.advance(0)
        #expect(fresh.elements == [[6]] && link.isLive)
    }

    @Test(.proves(.S106), arguments: ["error", "short", "malformed"])
    func `A hash that cannot be read any more ends the validity of the attributes`(answer: String) {
        let (stage, daemon, link, characteristic) = Self.scripted()
        Self.reconnect(stage, daemon)
        switch answer {
        case "error": daemon.take("ReadValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x01")
        case "short": daemon.take("ReadValue").reply { $0.bytes([1, 1]) }
        default: daemon.take("ReadValue").reply()
        }
        stage.advance(0)
        let stale = stage.record(characteristic.readValue())
        stage.advance(0)
        #expect(stale.kind == .attributeNotFound && link.isLive)
        #expect(daemon.count("ReadValue") == 2)
    }

    @Test(.proves(.S106)) func `Without a hash on two links in a row, attributes stay valid on the second one`() {
        let (stage, daemon, link, _) = Self.scripted()
        var characteristic: Characteristic?
        for _ in 0..<2 {
            Self.reconnect(stage, daemon)
            daemon.take("ReadValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x01")
            stage.advance(0)
            // It is discovered on the first of the two links.
            characteristic = characteristic ?? stage.characteristic(0x2A37, of: link.elements[0])
        }
        let read = characteristic.map { stage.record($0.readValue()) }
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([5]) }
        stage.advance(0)
        #expect(read?.elements == [[5]] && link.isLive)
    }

    @Test(.proves(.S106)) func `A link that is lost while its hash is read ends no attribute's validity`() {
        let (stage, daemon, link, characteristic) = Self.scripted()
        Self.reconnect(stage, daemon)
        let hash = daemon.take("ReadValue")
        daemon.deviceChanges(["ServicesResolved": .bool(false)])
        daemon.deviceChanges(["Connected": .bool(false)])
        hash.fail("org.bluez.Error.Failed", "Not connected")
        stage.advance(3_000)
        Self.connect(stage, daemon)
        daemon.take("ReadValue").reply { $0.bytes([UInt8](repeating: 1, count: 16)) }
        stage.advance(0)
        let read = stage.record(characteristic.readValue())
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([5]) }
        stage.advance(0)
        #expect(read.elements == [[5]] && link.isLive)
    }

    @Test(.proves(.S106), arguments: [0, 2, 15, 17])
    func `A hash whose length is not 16 bytes is no hash, so attributes stay valid`(length: Int) {
        let (stage, daemon, link, characteristic) = Self.scripted([UInt8](repeating: 1, count: length))
        for value in [UInt8](2...3) {
            Self.reconnect(stage, daemon)
            daemon.take("ReadValue").reply { $0.bytes([UInt8](repeating: value, count: length)) }
            stage.advance(0)
            let read = stage.record(characteristic.readValue())
            stage.advance(0)
            daemon.take("ReadValue").reply { $0.bytes([5]) }
            stage.advance(0)
            #expect(read.elements == [[5]])
        }
        #expect(link.isLive)
    }

    @Test(.proves(.S106)) func `A hash that times out ends the attempt, and the attributes are checked later`() {
        let count = Guarded(0)
        let hash = [UInt8](repeating: 9, count: 16)
        let sensor = SimulatedPeripheral("Sensor", address: Sensor.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
            SimulatedService("1801") {
                SimulatedCharacteristic(
                    "2b2a",
                    .read { _ in
                        // Only the second read, which is the first one after the loss of the link, has no response.
                        count.withLock {
                            $0 += 1
                            return $0 == 2 ? .silence : .value(hash)
                        }
                    })
            }
            SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([1])) }
        }
        let stage = Stage(with: [sensor])
        let peripheral = stage.find(Sensor.address)
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0))))
        stage.advance(1_000)
        let characteristic = stage.characteristic(0xFFF1, of: peripheral)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        #expect(count.withLock { $0 } == 2)
        stage.advance(115_000)
        #expect(count.withLock { $0 } == 3 && link.isLive)
        let read = stage.record(characteristic.readValue())
        stage.advance(1_000)
        #expect(read.elements == [[1]])
    }

    @Test(.proves(.S106, .Q93)) func `After Service Changed, the new hash is compared at the next link`() {
        let strays = Strays()
        let (stage, peripheral) = Self.stage(strays)
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0))))
        stage.advance(1_000)
        stage.simulation.bluez.changeServices(of: Sensor.text, to: Self.services(1, strays))
        stage.advance(2_000)
        let characteristic = stage.characteristic(0xFFF2, of: peripheral)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(5_000)
        let read = stage.record(characteristic.readValue())
        stage.advance(100)
        #expect(read.elements == [[2]] && link.isLive)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.simulation.bluez.changeServices(of: Sensor.text, announced: false, to: Self.services(2, strays))
        stage.advance(5_000)
        #expect(stage.record(characteristic.readValue()).outcome(stage) == .attributeNotFound)
    }

    @Test(.proves(.S106)) func `After Service Changed, the hash is read before operations that wait`() {
        let (stage, daemon, link, characteristic) = Self.scripted()
        let (running, waiting) = (stage.record(characteristic.readValue()), stage.record(characteristic.readValue()))
        stage.advance(0)
        daemon.deviceChanges(["ServicesResolved": .bool(false)])
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        stage.advance(0)
        daemon.take("ReadValue").reply { $0.bytes([5]) }
        stage.advance(0)
        // This is the read of the hash.
        daemon.take("ReadValue").reply { $0.bytes([UInt8](repeating: 2, count: 16)) }
        stage.advance(0)
        #expect(running.elements == [[5]] && waiting.elements.isEmpty)
        daemon.take("ReadValue").reply { $0.bytes([6]) }
        stage.advance(0)
        #expect(waiting.elements == [[6]] && link.isLive)
    }

    // Its services may have changed unnoticed since the last link of the connection, which has to compare the hashes.
    @Test(.proves(.S106)) func `A link that is made for a pairing stores no hash for the connection`() {
        let (stage, daemon, link, characteristic) = Self.scripted()
        daemon.deviceChanges(["ServicesResolved": .bool(false)])
        daemon.deviceChanges(["Connected": .bool(false)])
        // The connection waits for the end of the link for the pairing.
        let pairing = stage.record(characteristic.peripheral.pair())
        Self.connect(stage, daemon)
        #expect(daemon.isAsked("Pair") && pairing.isLive && link.isLive)
        #expect(daemon.count("ReadValue") == 1)
    }

    @Test(.proves(.S106, .Q93)) func `Refreshing the services removes the device, and the connection returns`() {
        let strays = Strays()
        let (stage, peripheral) = Self.stage(strays)
        let link = stage.record(peripheral.connect(options: .reconnect(Reconnection(jitter: 0))))
        stage.advance(1_000)
        let old = stage.characteristic(0xFFF2, of: peripheral)
        stage.simulation.bluez.changeServices(of: Sensor.text, announced: false, to: Self.services(1, strays))
        let refreshed = stage.record(peripheral.refreshServices())
        stage.advance(10_000)
        #expect(refreshed.isCompleted && link.isLive)
        #expect(stage.record(old.readValue()).outcome(stage) == .attributeNotFound)
        let read = stage.record(stage.characteristic(0xFFF2, of: peripheral).readValue())
        stage.advance(100)
        #expect(read.elements == [[2]])
    }

    @Test(.proves(.S106)) func `Refreshing the services of a bonded device is refused`() {
        let objects = ScriptedDaemon.Objects.oneDevice.setting(
            ScriptedDaemon.Objects.devicePath, "org.bluez.Device1", ["Paired": .bool(true), "Bonded": .bool(true)])
        let (stage, daemon, peripheral) = Stage.scripted(objects)
        let refreshed = stage.record(peripheral.refreshServices())
        stage.advance(0)
        #expect(refreshed.kind == .refused && daemon.count("RemoveDevice") == 0)
    }
}
