import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// ATT errors that bluetoothd reports under other names, or that the peripheral did not send.
struct ATTErrorTests {
    private static func deadlines(operation: Duration) -> Deadlines {
        var deadlines = Deadlines.prompt
        deadlines.operation = operation
        return deadlines
    }

    @Test(.proves(.Q120)) func `An unanswered ATT request times out and ends the link`() {
        let (stage, peripheral) = Stage.withSensor(deadlines: Self.deadlines(operation: .seconds(60)))
        let link = stage.connect(peripheral)
        let silent = stage.characteristic(Sensor.silent, of: peripheral)
        let value = stage.characteristic(Sensor.value, of: peripheral)
        let read = stage.record(silent.readValue())
        let behind = stage.record(value.readValue())
        stage.advance(29_900)
        #expect(read.isLive)
        stage.advance(200)
        #expect(read.kind == .timedOut)
        #expect(read.error?.attCode == nil)
        #expect(read.error?.outcomeUnknown == true)
        #expect(read.error?.dbusMessage == "Operation failed with ATT error: 0x0e")
        stage.advance(1_000)
        #expect(behind.kind == .linkLost(.local))
        #expect(link.kind == .linkLost(.local))
    }

    @Test(.proves(.Q120)) func `ATT error 0x0E before 30 s is a refusal of the peripheral`() {
        let (stage, daemon, peripheral) = Stage.scripted(deadlines: Self.deadlines(operation: .seconds(60)))
        let link = stage.connect(peripheral, daemon)
        let value = stage.characteristic(0x2A37, of: peripheral)
        for (time, kind) in [(29_999, BluetoothError.Kind.attError), (30_000, .timedOut), (0, .attError)] {
            let write = stage.record(value.writeValue([1]))
            stage.advance(time)
            daemon.take("WriteValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
            stage.advance(0)
            #expect(write.kind == kind)
        }
        // The 30 s of the second write start when it is sent, which is 25 s after its subscription.
        let first = stage.record(value.writeValue([1]))
        let second = stage.record(value.writeValue([2]))
        stage.advance(25_000)
        daemon.take("WriteValue").reply()
        stage.advance(25_000)
        daemon.take("WriteValue").fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e")
        stage.advance(0)
        #expect(first.isCompleted)
        #expect(second.kind == .attError)
        #expect(link.isLive)
    }

    @Test(.proves(.Q96)) func `ATT errors 06 and 08 are attributed to the peripheral`() {
        let peripheral = SimulatedPeripheral("Strict", address: Sensor.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, firstAfter: .zero)
            SimulatedService("fff0") {
                SimulatedCharacteristic("fff1", .read { _ in .error(0x06) }, .write { _ in .error(0x08) })
                SimulatedCharacteristic("fff2", .read { _ in .error(0x08) }, .write { _ in .error(0x06) })
            }
        }
        let stage = Stage(with: [peripheral])
        let strict = stage.find(Sensor.address)
        let link = stage.connect(strict)
        let (one, other) = (stage.characteristic(0xFFF1, of: strict), stage.characteristic(0xFFF2, of: strict))
        let unsupported = [stage.record(one.readValue().asCompletable()), stage.record(other.writeValue([1]))]
        let refusals = [stage.record(other.readValue().asCompletable()), stage.record(one.writeValue([1]))]
        stage.advance(1_000)
        for error in unsupported.map(\.error) {
            #expect(error?.kind == .unsupported)
            #expect(error?.attCode == 0x06)
            #expect(error?.description.contains("the peripheral does not support the request (ATT error 0x06") == true)
            #expect(error?.advice?.contains("bluetoothd") == false)
        }
        for error in refusals.map(\.error) {
            #expect(error?.kind == .refused)
            #expect(error?.attCode == 0x08)
            #expect(error?.description.contains("the peripheral does not authorize it (ATT error 0x08") == true)
            #expect(error?.advice?.contains("bluetoothd") == false)
        }
        #expect(link.isLive)
    }

    @Test(.proves(.Q109)) func `A refusal by bluetoothd is not attributed to the peripheral`() {
        let service = ScriptedDaemon.Objects.servicePath
        let (stage, daemon, peripheral) = Stage.scripted(
            .oneKnownDevice.setting(
                service, "org.bluez.GattService1", ["UUID": .string("00001812-0000-1000-8000-00805f9b34fb")]))
        let link = stage.connect(peripheral, daemon)
        let value = stage.characteristic(0x2A37, of: peripheral)
        let write = stage.record(value.writeValue([1]))
        stage.advance(0)
        daemon.take("WriteValue").fail("org.bluez.Error.NotAuthorized", "Operation Not Authorized")
        let acquired = stage.record(value.acquireWrite())
        stage.advance(0)
        daemon.take("AcquireWrite").fail("org.bluez.Error.NotSupported", "Operation is not supported")
        stage.advance(0)
        #expect(write.kind == .refused)
        #expect(write.error?.attCode == nil)
        #expect(write.error?.advice?.contains("bluetoothd") == true)
        #expect(acquired.kind == .unsupported)
        #expect(acquired.error?.attCode == nil)
        #expect(link.isLive)
    }
}
