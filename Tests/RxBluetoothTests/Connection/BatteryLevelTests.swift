import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

struct BatteryLevelTests {
    private func stage(_ level: SimulatedBehaviour...) -> (Stage, Peripheral, Recording<Peripheral>) {
        var characteristic = SimulatedCharacteristic("2a19")
        characteristic.behaviours = level
        let battery = SimulatedService("180f") { characteristic }
        var sensor = SimulatedPeripheral("Sensor", address: Sensor.text) {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
        }
        sensor.services = [battery]
        let stage = Stage(with: [sensor])
        let peripheral = stage.find(Sensor.address)
        return (stage, peripheral, stage.connect(peripheral))
    }

    @Test(.proves(.Q109), .covers(.batteryLevel))
    func `A notifying battery level is emitted at once and after each valid change`() {
        let (stage, peripheral, link) = stage(.read([90]), .notify)
        let levels = stage.record(peripheral.observeBatteryLevel())
        stage.advance(200)
        #expect(levels.elements == [90])
        for level in [89, 89, 12, 101] {
            stage.simulation.bluez.notify([UInt8(level)], from: Sensor.text, "2a19")
            stage.advance(5)
        }
        #expect(levels.elements == [90, 89, 12])
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1)
        #expect(levels.kind == .linkLost(.remote))
        #expect(!link.isLive)
    }

    @Test func `A battery level without notifications is emitted once`() {
        let (stage, peripheral, link) = stage(.read([55]))
        let levels = stage.record(peripheral.observeBatteryLevel())
        stage.advance(60_000)
        #expect(levels.elements == [55])
        #expect(levels.isLive)
        #expect(link.isLive)
    }

    @Test(.proves(.S126, .Q109)) func `A hidden battery service is shown with the level that bluetoothd reports`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let path = ScriptedDaemon.Objects.devicePath
        daemon.add([path: ["org.bluez.Battery1": ["Percentage": .byte(80)]]])
        let link = stage.connect(peripheral, daemon)
        let found = stage.record(peripheral.discoverServices([0x180F]).flatMap { $0.discoverCharacteristics() })
        let level = stage.record(peripheral.characteristic(0x2A19))
        stage.advance(1)
        #expect(found.elements == level.elements && level.elements.count == 1)
        guard let level = level.elements.first else { return }
        #expect(level.properties == [.read, .notify] && level.service.uuid == 0x180F)
        let read = stage.record(level.readValue())
        let values = stage.record(level.observeValueUpdates())
        let exclusive = stage.record(peripheral.exclusively { $0.readValue(for: level) })
        let written = stage.record(level.writeValue([1]))
        let descriptors = stage.record(level.discoverDescriptors())
        stage.advance(1)
        daemon.change(path, "org.bluez.Battery1", ["Percentage": .byte(79)])
        stage.advance(1)
        #expect(read.elements == [[80]] && read.isCompleted && exclusive.elements == [[80]])
        #expect(values.elements == [[80], [79]])
        #expect(written.kind == .notPermitted && descriptors.isCompleted && descriptors.elements.isEmpty)
        values.dispose()
        daemon.change(path, "org.bluez.Battery1", ["Percentage": .byte(78)])
        stage.advance(1)
        #expect(values.elements.count == 2 && link.isLive)
    }

    @Test(.proves(.S126, .Q109)) func `A listed battery service is found before its first level`() {
        var scenario = Scenario {
            SimulatedPeripheral("Sensor", address: Sensor.text) {
                SimulatedAdvertisement(every: .milliseconds(100), rssi: -50, name: "Sensor", firstAfter: .zero)
                SimulatedService("180f") { SimulatedCharacteristic("2a19", .read([64]), .notify) }
            }
        }
        scenario.features = [.hiddenBattery]
        let stage = Stage(scenario)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let read = stage.record(peripheral.characteristic(0x2A19).flatMap { $0.readValue() })
        stage.advance(2_000)
        #expect(read.elements == [[64]] && read.isCompleted && link.isLive)
    }

    /// Makes a scenario with a tag that advertises a battery service.
    private func tag(_ version: SimulatedBlueZ.Version, _ services: SimulatedService...) -> Scenario {
        var tag = SimulatedPeripheral("Tag", address: Sensor.text) {
            SimulatedAdvertisement(
                every: .milliseconds(100), rssi: -50, name: "Tag", services: ["180f"], firstAfter: .zero)
        }
        tag.services = services + [SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([1])) }]
        var scenario = Scenario(peripherals: [tag])
        scenario.bluez = version
        return scenario
    }

    @Test(.proves(.S126, .Q58, .Q109), arguments: SimulatedBlueZ.Version.allCases)
    func `A battery service that is only advertised is not shown`(version: SimulatedBlueZ.Version) {
        let stage = Stage(tag(version))
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let found = stage.record(peripheral.discoverServices())
        let level = stage.record(peripheral.characteristic(0x2A19))
        let read = stage.record(peripheral.read(BatteryLevel.self))
        let values = stage.record(peripheral.observe(BatteryLevel.self))
        stage.advance(1_000)
        #expect(found.elements.map(\.uuid).ownServices == [0x1801, 0xFFF0] && found.isCompleted)
        #expect(level.kind == .attributeNotFound)
        #expect(read.kind == .unsupported && values.kind == .unsupported)
        #expect(read.error?.detail == "There is no battery level" && link.isLive)
    }

    @Test(.proves(.S126, .Q109)) func `An advertised battery service is shown if GAP is hidden, too`() {
        // bluetoothd reports no level that it cannot read.
        let battery = SimulatedService("180f") { SimulatedCharacteristic("2a19", .read { _ in .error(0x02) }) }
        var scenario = tag(.v5_82, battery)
        scenario.features = [.hiddenBattery]
        scenario.disabledFeatures = [.claimedServices]
        let stage = Stage(scenario)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let found = stage.record(peripheral.discoverServices([0x180F]))
        let read = stage.record(peripheral.read(BatteryLevel.self))
        stage.advance(5_000)
        #expect(found.elements.count == 1 && read.isLive && link.isLive)
    }

    @Test(.proves(.Q109)) func `The battery level of bluetoothd is emitted if bluetoothd hides the service`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let levels = stage.record(peripheral.observeBatteryLevel())
        stage.advance(5_000)
        #expect(levels.times.isEmpty)
        let path = ScriptedDaemon.Objects.devicePath
        daemon.add([path: ["org.bluez.Battery1": ["Percentage": .byte(80)]]])
        daemon.change(path, "org.bluez.Battery1", ["Percentage": .byte(79)])
        daemon.change(path, "org.bluez.Battery1", ["Percentage": .byte(255)])
        daemon.change(path, "org.bluez.Battery1", ["Percentage": .string("full")])
        stage.advance(60_000)
        #expect(levels.elements == [80, 79])
        let second = stage.record(peripheral.observeBatteryLevel())
        daemon.change(path, "org.bluez.Battery1", ["Percentage": .byte(78)])
        stage.advance(0)
        #expect(second.elements == [78])
        #expect(daemon.methods == ["Connect"])
        #expect(link.isLive)
    }

    @Test func `A missing battery level fails at the deadline for services`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let link = stage.connect(peripheral, daemon)
        let levels = stage.record(peripheral.observeBatteryLevel())
        stage.advance(29_999)
        #expect(levels.isLive)
        stage.advance(1)
        #expect(levels.kind == .unsupported)
        #expect(link.isLive)
        stage.expectNoTimers()
    }
}
