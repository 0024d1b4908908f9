import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Values of characteristics as Swift types.
struct TypedValueTests {
    private static let text = "C0:FF:EE:00:00:31"
    private static let address: BluetoothAddress = "C0:FF:EE:00:00:31"

    /// Makes a stage with a connected heart rate sensor. The list of recorded calls is empty.
    private func connected(
        _ options: ConnectOptions = ConnectOptions(), heartRate: SimulatedBehaviour...
    ) -> (Stage, Peripheral, Recording<Peripheral>) {
        var measurement = SimulatedCharacteristic("2a37", .notify)
        measurement.behaviours += heartRate
        let sensor = SimulatedPeripheral("Strap", address: Self.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Strap", firstAfter: .zero)
            SimulatedService("180d") {
                measurement
                SimulatedCharacteristic("2a38", .read([0x01]))
                SimulatedCharacteristic("2a39", .read([0]), .write)
            }
            SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([87])) }
            SimulatedService("181a") {
                SimulatedCharacteristic("2a76", .read([1]), .writeWithoutResponse)
                SimulatedCharacteristic("2a6f", .read([1]))
            }
            SimulatedService("181a") { SimulatedCharacteristic("2a6f", .read([2])) }
        }
        let stage = Stage(with: [sensor])
        let peripheral = stage.find(Self.address)
        let link = stage.record(peripheral.connect(options: options))
        stage.advance(500)
        #expect(link.elements == [peripheral])
        stage.simulation.bluez.forgetCalls()
        return (stage, peripheral, link)
    }

    @Test(.proves(.S124)) func `A typed read needs no discovery, and sends only the read`() {
        let (stage, peripheral, link) = connected()
        let battery = stage.record(peripheral.read(BatteryLevel.self))
        let location = stage.record(peripheral.read(BodySensorLocation.self, in: 0x180D))
        stage.advance(200)
        #expect(battery.elements == [BatteryLevel(87)])
        #expect(battery.isCompleted)
        #expect(location.elements == [BodySensorLocation(1)])
        #expect(stage.methods == ["ReadValue", "ReadValue"])
        #expect(link.isLive)
    }

    @Test(.proves(.S124)) func `Typed reads and writes during an outage fail, and are not sent later`() {
        let (stage, peripheral, link) = connected(.reconnect())
        stage.simulation.bluez.setInRange(false, Self.text)
        stage.simulation.bluez.dropLink(to: Self.text)
        stage.advance(1_000)
        let write = stage.record(peripheral.write(HeartRateControlPoint(1)))
        let read = stage.record(peripheral.read(BodySensorLocation.self))
        let battery = stage.record(peripheral.read(BatteryLevel.self))
        let found = stage.record(peripheral.characteristic("2A39"))
        stage.advance(100)
        #expect(write.error?.kind == .notConnected)
        #expect(read.error?.kind == .notConnected && battery.error?.kind == .notConnected)
        #expect(found.isLive && found.elements.isEmpty)
        stage.simulation.bluez.setInRange(true, Self.text)
        stage.advance(60_000)
        #expect(link.isLive && found.elements.count == 1)
        #expect(stage.count("WriteValue") == 0 && stage.count("ReadValue") == 0)
    }

    @Test(.proves(.S124)) func `A typed read waits until the services are read`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.record(peripheral.connect())
        let read = stage.record(peripheral.read(BodySensorLocation.self))
        stage.advance(0)
        daemon.deviceChanges(["Connected": .bool(true)])
        daemon.take("Connect").reply()
        stage.advance(0)
        let late = stage.record(peripheral.read(BodySensorLocation.self))
        stage.advance(100)
        #expect(read.kind == .notConnected)
        #expect(late.isLive)
        daemon.deviceChanges(["ServicesResolved": .bool(true)])
        stage.advance(1_000)
        #expect(late.kind == .attributeNotFound)
        #expect(link.isLive)
    }

    @Test(.proves(.S124)) func `A typed observation turns notifications on and emits values`() {
        let (stage, peripheral, link) = connected()
        let beats = stage.record(peripheral.observe(HeartRateMeasurement.self))
        stage.advance(200)
        for value in [[0x10, 0x5A, 0x00, 0x08, 0x00, 0x10], [0x0E, 0x4B, 0x80, 0x00]] as [[UInt8]] {
            stage.simulation.bluez.notify(value, from: Self.text, "2a37")
            stage.advance(5)
        }
        #expect(beats.elements.map(\.beatsPerMinute) == [90, 75])
        #expect(beats.elements.first?.intervals == [2, 4])
        #expect(beats.elements.last?.energy == 128)
        #expect(beats.elements.last?.hasContact == true)
        beats.dispose()
        stage.advance(200)
        #expect(stage.methods == ["StartNotify", "StopNotify"])
        #expect(link.isLive)
    }

    @Test(.proves(.S124)) func `A typed observation continues after a reconnection`() {
        let (stage, peripheral, link) = connected(.reconnect())
        let beats = stage.record(peripheral.observe(HeartRateMeasurement.self))
        stage.advance(200)
        stage.simulation.bluez.notify([0, 60], from: Self.text, "2a37")
        stage.simulation.bluez.dropLink(to: Self.text)
        stage.advance(5_000)
        stage.simulation.bluez.notify([0, 61], from: Self.text, "2a37")
        stage.advance(5)
        #expect(beats.elements.map(\.beatsPerMinute) == [60, 61])
        #expect(beats.isLive)
        #expect(link.isLive)
    }

    @Test(.proves(.S124)) func `A typed write encodes the value, with the type of write that is supported`() {
        let (stage, peripheral, link) = connected()
        let command = stage.record(peripheral.write(HeartRateControlPoint(1)))
        let index = stage.record(peripheral.write(UVIndex(5)))
        stage.advance(200)
        #expect(command.isCompleted)
        #expect(index.isCompleted)
        let written = stage.record(peripheral.read(HeartRateControlPoint.self))
        let stored = stage.record(peripheral.characteristic("2A76", in: "181A").flatMap { $0.readValue() })
        stage.advance(200)
        #expect(written.elements == [HeartRateControlPoint(1)])
        #expect(stored.elements == [[5]])
        #expect(link.isLive)
    }

    @Test(.proves(.S125)) func `A malformed value names the characteristic, the bytes and what was expected`() {
        let (stage, peripheral, link) = connected(heartRate: .read([0x01, 62]))
        let read = stage.record(peripheral.read(HeartRateMeasurement.self))
        stage.advance(200)
        let expected = ValueDecodingError("Heart Rate Measurement", .tooShort(needed: 3), bytes: [1, 62])
        #expect(read.kind == .invalidValue(expected))
        #expect(read.error?.code == "invalid-value")
        #expect(
            read.error?.summary
                == "Reading 2A37 of C0:FF:EE:00:00:31: the value is not a valid Heart Rate Measurement "
                + "(at least 3 bytes are needed, bytes: 013E).")
        #expect(read.error?.isTransient == false)
        let beats = stage.record(peripheral.observe(HeartRateMeasurement.self))
        stage.advance(200)
        stage.simulation.bluez.notify([], from: Self.text, "2a37")
        stage.advance(5)
        #expect(beats.error?.operation == .notify)
        #expect(beats.error?.summary.contains("bytes: none") == true)
        #expect(link.isLive)
    }

    @Test(.proves(.S125)) func `A value that cannot be encoded fails before anything is sent`() {
        let (stage, peripheral, link) = connected()
        let write = stage.record(peripheral.write(HeartRateControlPoint(256)))
        stage.advance(200)
        #expect(write.kind == .invalidArgument)
        #expect(write.error?.operation == .write)
        #expect(write.error?.target == "2A39 of C0:FF:EE:00:00:31")
        #expect(write.error?.summary.contains("is out of range") == true)
        #expect(stage.methods == [])
        #expect(link.isLive)
    }

    @Test(.proves(.S125)) func `A characteristic that is missing or not unique fails before anything is sent`() {
        let (stage, peripheral, link) = connected()
        let twice = stage.record(peripheral.read(Humidity.self))
        let missing = stage.record(peripheral.read(Pressure.self))
        let elsewhere = stage.record(peripheral.read(BodySensorLocation.self, in: 0x180F))
        let nowhere = stage.record(peripheral.characteristic(0x2A38, in: 0x1234))
        stage.advance(200)
        #expect(twice.kind == .invalidArgument)
        #expect(twice.error?.summary.contains("2A6F is not unique") == true)
        #expect(missing.kind == .attributeNotFound)
        #expect(
            missing.error?.summary
                == "Discovering the characteristic 2A6D of C0:FF:EE:00:00:31: there is no such attribute (2A6D).")
        #expect(elsewhere.kind == .attributeNotFound)
        #expect(nowhere.kind == .attributeNotFound)
        #expect(stage.methods == [])
        #expect(link.isLive)
    }

    @Test(.proves(.S126, .Q109)) func `The battery level of bluetoothd is read if bluetoothd hides the service`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let read = stage.record(peripheral.read(BatteryLevel.self))
        let levels = stage.record(peripheral.observe(BatteryLevel.self))
        stage.advance(5_000)
        #expect(read.isLive)
        let path = ScriptedDaemon.Objects.devicePath
        daemon.add([path: ["org.bluez.Battery1": ["Percentage": .byte(80)]]])
        daemon.change(path, "org.bluez.Battery1", ["Percentage": .byte(79)])
        stage.advance(1)
        #expect(read.elements == [BatteryLevel(80)])
        #expect(read.isCompleted)
        #expect(levels.elements == [BatteryLevel(80), BatteryLevel(79)])
        #expect(link.isLive)
        let none = stage.record(peripheral.read(BatteryLevel.self, in: 0x180D))
        stage.advance(1)
        #expect(none.kind == .attributeNotFound)
    }

    @Test(.proves(.S126, .Q109)) func `A hidden battery service is read and observed as a type`() {
        var scenario = Scenario.everyday
        scenario.features = [.hiddenBattery]
        let stage = Stage(scenario)
        let peripheral = stage.find("C0:FF:EE:00:00:01")
        let link = stage.connect(peripheral)
        let read = stage.record(peripheral.read(BatteryLevel.self))
        let levels = stage.record(peripheral.observe(BatteryLevel.self))
        stage.advance(2_000)
        #expect(read.elements == [BatteryLevel(87)] && read.isCompleted)
        #expect(levels.elements == [BatteryLevel(87)] && link.isLive)
    }

    @Test(.proves(.S126)) func `A battery level of a peripheral without a battery service fails at once`() {
        let stage = Stage(with: [
            SimulatedPeripheral("Lamp", address: Sensor.text) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp", firstAfter: .zero)
                SimulatedService("180a") { SimulatedCharacteristic("2a29", .read([65])) }
            }
        ])
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let read = stage.record(peripheral.read(BatteryLevel.self))
        let levels = stage.record(peripheral.observe(BatteryLevel.self))
        stage.advance(1)
        #expect(read.kind == .unsupported && levels.kind == .unsupported)
        #expect(read.error?.detail == "There is no battery level")
        #expect(read.error?.description.hasSuffix("of the peripheral how it reports its battery.") == true)
        #expect(link.isLive)
    }

    @Test(.proves(.S126)) func `A battery level of a shown battery service without the level fails at once`() {
        let stage = Stage(with: [
            SimulatedPeripheral("Lamp", address: Sensor.text) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Lamp", firstAfter: .zero)
                SimulatedService("180f") { SimulatedCharacteristic("2a1a", .read([1])) }
            }
        ])
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let read = stage.record(peripheral.read(BatteryLevel.self))
        let levels = stage.record(peripheral.observe(BatteryLevel.self))
        stage.advance(1)
        #expect(read.kind == .unsupported && levels.kind == .unsupported && link.isLive)
    }

    @Test(.proves(.S126, .Q109)) func `A hidden battery level that bluetoothd never reports fails at a deadline`() {
        var scenario = Scenario {
            SimulatedPeripheral("Sensor", address: Sensor.text) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
                // bluetoothd reports no level that it cannot read.
                SimulatedService("180f") { SimulatedCharacteristic("2a19", .read { _ in .error(0x02) }) }
            }
        }
        scenario.features = [.hiddenBattery]
        let stage = Stage(scenario)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let read = stage.record(peripheral.read(BatteryLevel.self))
        let short = stage.record(peripheral.read(BatteryLevel.self, options: OperationOptions(deadline: .seconds(3))))
        let levels = stage.record(peripheral.observe(BatteryLevel.self))
        stage.advance(10_000)
        #expect(short.kind == .unsupported && read.isLive && levels.isLive)
        stage.advance(50_000)
        #expect(read.kind == .unsupported && levels.kind == .unsupported && link.isLive)
        #expect(
            read.error?.description.hasSuffix(
                "(bluetoothd hides the battery service, and has reported no level). "
                    + "Start bluetoothd with --noplugin=battery, so that it shows the service.") == true)
    }
}
