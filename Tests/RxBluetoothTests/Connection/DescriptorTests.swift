import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct DescriptorTests {
    let stage: Stage
    let peripheral: Peripheral
    let link: Recording<Peripheral>

    init() {
        (stage, peripheral) = Stage.withSensor()
        link = stage.connect(peripheral)
        stage.simulation.bluez.forgetCalls()
    }

    func descriptors(of uuid: BluetoothUUID) -> [Descriptor] {
        let found = stage.record(stage.characteristic(uuid, of: peripheral).discoverDescriptors())
        stage.advance(0)
        #expect(found.isCompleted)
        return found.elements
    }

    @Test(.proves(.S62, .S63), .covers(.descriptors)) func `Descriptor reads and writes run in the operation queue`() {
        let all = descriptors(of: Sensor.value)
        #expect(all.map(\.uuid) == [0x2901])
        guard let description = all.first else { return }
        let first = stage.record(description.readValue())
        let write = stage.record(description.writeValue([0x42, 0x43]))
        let second = stage.record(description.readValue())
        stage.advance(0)
        #expect(stage.methods == ["ReadValue"])
        stage.advance(200)
        #expect(first.elements == [[0x41]])
        #expect(write.isCompleted)
        #expect(second.elements == [[0x42, 0x43]])
        #expect(stage.methods == ["ReadValue", "WriteValue", "ReadValue"])
    }

    @Test(.proves(.Q108)) func `Writing 2902, or more than 512 bytes to a descriptor, is refused`() {
        let all = descriptors(of: Sensor.notifying)
        #expect(all.map(\.uuid) == [0x2902])
        guard let configuration = all.first, let description = descriptors(of: Sensor.value).first else { return }
        let refused = stage.record(configuration.writeValue([1, 0]))
        let long = stage.record(description.writeValue([UInt8](repeating: 0, count: 513)))
        stage.advance(1)
        #expect(refused.kind == .notPermitted)
        #expect(refused.error?.operation == .writeDescriptor)
        #expect(long.kind == .invalidArgument)
        #expect(stage.methods.isEmpty)
    }

    @Test(.proves(.S59, .S62)) func `Descriptor errors name the descriptor, and a crash fails a pending read`() {
        let (stage, daemon, peripheral) = Stage.scripted(
            .oneKnownDevice.setting(
                ScriptedDaemon.Objects.characteristicPath + "/desc0013", "org.bluez.GattDescriptor1",
                ["UUID": .string("00002901-0000-1000-8000-00805f9b34fb")]))
        let link = stage.connect(peripheral, daemon)
        let found = stage.record(stage.characteristic(0x2A37, of: peripheral).discoverDescriptors())
        stage.advance(0)
        #expect(found.elements.map(\.handle) == [0x13])
        guard let descriptor = found.elements.first else { return }
        let read = stage.record(descriptor.readValue())
        stage.advance(0)
        daemon.take("ReadValue").fail("org.bluez.Error.NotPermitted", "Read not permitted")
        stage.advance(0)
        #expect(read.kind == .notPermitted)
        #expect(read.error?.attCode == 0x02)
        #expect(read.error?.operation == .readDescriptor)
        #expect(read.error?.target == "2901 of 2A37 of C0:FF:EE:00:00:01")
        let waiting = stage.record(descriptor.readValue())
        stage.advance(0)
        daemon.crash()
        stage.advance(0)
        #expect(waiting.kind == .disconnected(.daemon))
        #expect(link.kind == .disconnected(.daemon))
    }
}
