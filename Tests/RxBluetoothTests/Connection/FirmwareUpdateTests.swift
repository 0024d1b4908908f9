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
    /// So the handles, and the paths that bluetoothd derives from them, have other UUIDs in each version. The value of a
    /// characteristic begins with its tag, as each value that is written to it.
    private static func services(_ version: Int, _ strays: Strays) -> [SimulatedService] {
        let order = (0..<tags.count).map { tags[($0 + version) % tags.count] }
        return [
            SimulatedService("fff0") {
                for tag in order {
                    SimulatedCharacteristic(
                        "fff\(tag)", .read([tag]),
                        .write {
                            strays.check($0, tag)
                            return .accepted
                        }, descriptors: [SimulatedDescriptor("290\(tag)", [tag], writable: true)])
                }
            }
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
        let writers = characteristics.map { stage.record($0.acquireWrite()) }
        stage.simulation.bluez.changeServices(of: Sensor.text, to: Self.services(1, strays))
        stage.advance(2_000)
        gate.onNext(1)
        stage.advance(2_000)
        #expect(access.isCompleted && link.isLive && descriptors.count == 3)
        for kind in reads.map(\.kind) + writes.map(\.kind) + others.map(\.kind) { #expect(kind == .attributeNotFound) }
        for kind in writers.map(\.kind) { #expect(kind == .notPermitted) }
        #expect(stage.methods.isEmpty && strays.texts.isEmpty)
        let fresh = stage.record(stage.characteristic(0xFFF2, of: peripheral).readValue())
        stage.advance(100)
        #expect(fresh.elements == [[2]])
    }

    @Test(.proves(.S105), arguments: [ConnectOptions(), .reconnect(Reconnection(jitter: 0))])
    func `Updates at random moments let no operation reach a wrong attribute`(options: ConnectOptions) {
        let strays = Strays()
        let (stage, peripheral) = Self.stage(strays)
        let link = stage.record(peripheral.connect(options: options))
        stage.advance(1_000)
        var dice = Dice(seed: 7)
        var characteristics: [Characteristic] = []
        var reads = 0
        for version in 1...Self.updates {
            let found = stage.record(peripheral.discoverServices().flatMap { $0.discoverCharacteristics() })
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
            stage.simulation.bluez.changeServices(of: Sensor.text, to: Self.services(version, strays))
            if Int.random(in: 0..<8, using: &dice) == 0, options.reconnection != nil {
                stage.simulation.bluez.dropLink(to: Sensor.text)
            }
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
        }
        #expect(strays.texts.isEmpty)
        #expect(link.isLive)
        // Most operations did run, so the test is not empty.
        #expect(reads > Self.updates / 2 && strays.hits > Self.updates / 4)
    }
}
