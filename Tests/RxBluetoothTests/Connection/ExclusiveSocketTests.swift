import Rx
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Notification sockets that are requested during an exclusive access, with a bluetoothd that needs a trial before.
struct ExclusiveSocketTests {
    private static let address: BluetoothAddress = "C0:FF:EE:00:00:61"

    @Test(.proves(.S104, .Q132)) func `Sockets for subscribers outside of an access are requested after it`() {
        var scenario = Scenario {
            SimulatedPeripheral("Sensor", address: "C0:FF:EE:00:00:61") {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
                SimulatedService("fff0") {
                    SimulatedCharacteristic("fff2", .notify)
                    SimulatedCharacteristic("fff3", .notify)
                }
            }
        }
        scenario.bluez = .v5_82
        let stage = Stage(scenario)
        let peripheral = stage.find(Self.address)
        let link = stage.connect(peripheral)
        let characteristics = [0xFFF2 as BluetoothUUID, 0xFFF3].map { stage.characteristic($0, of: peripheral) }
        let (starts, ends) = (PublishSubject<Int>(), PublishSubject<Int>())
        let access = stage.record(
            peripheral.exclusively { operations in
                starts.flatMap { index in
                    operations.observeValueUpdates(for: characteristics[index], using: .socket)
                        .take(until: ends.filter { $0 == index })
                }
            })
        stage.advance(10)
        var values: [Recording<[UInt8]>] = []
        for index in 0...1 {
            starts.onNext(index)
            stage.advance(1)
            // The subscriber of the access leaves during the trial, and another one needs the socket.
            values.append(stage.record(characteristics[index].observeValueUpdates(using: .socket)))
            ends.onNext(index)
            stage.advance(100)
        }
        #expect(stage.count("StartNotify") == 2 && stage.count("AcquireNotify") == 0)
        access.dispose()
        stage.advance(200)
        #expect(stage.count("AcquireNotify") == 2)
        for (index, uuid) in ["fff2", "fff3"].enumerated() {
            stage.simulation.bluez.notify([UInt8(index)], from: "C0:FF:EE:00:00:61", uuid)
            stage.advance(10)
            #expect(values[index].elements == [[UInt8(index)]])
        }
        #expect(link.isLive)
    }
}
