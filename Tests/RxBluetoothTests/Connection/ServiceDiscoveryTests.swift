import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Discovery of services, characteristics and descriptors.
struct ServiceDiscoveryTests {
    @Test(.proves(.S47, .Q70)) func `Requests during service discovery share its result without a call`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect())
        stage.advance(151)
        let all = stage.record(peripheral.discoverServices())
        let one = stage.record(peripheral.discoverServices([Sensor.service]))
        stage.advance(50)
        #expect(all.isLive && all.elements.isEmpty)
        stage.advance(50)
        #expect(all.elements.map(\.uuid).ownServices == [0x1801, Sensor.service, 0x180F])
        #expect(one.elements.map(\.uuid) == [Sensor.service])
        #expect(all.isCompleted && one.isCompleted)
        #expect(stage.methods == ["Connect"])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S48, .Q71)) func `Known services are emitted at once, but not without a connection`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let found = stage.record(peripheral.discoverServices([0x180F]))
        stage.advance(0)
        #expect(found.elements.map(\.uuid) == [0x180F])
        #expect(found.isCompleted)
        #expect(stage.methods == ["Connect"])
        link.dispose()
        stage.advance(0)
        let late = stage.record(peripheral.discoverServices([0x180F]))
        stage.advance(0)
        #expect(late.kind == .notConnected)
        #expect(late.error?.operation == .discover)
    }

    @Test(.proves(.S49), .covers(.discovery)) func `Overlapping discovery requests each return their own services`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.record(peripheral.connect())
        stage.advance(151)
        let wanted: [[BluetoothUUID]] = [[], [Sensor.service], [0x180F], [0x180F, Sensor.service], [0x1234]]
        let found = wanted.map { stage.record(peripheral.discoverServices($0)) }
        stage.advance(200)
        #expect(found[0].elements.map(\.uuid).ownServices.count == 3)
        #expect(found[1].elements.map(\.uuid) == [Sensor.service])
        #expect(found[2].elements.map(\.uuid) == [0x180F])
        #expect(found[3].elements.map(\.uuid) == [Sensor.service, 0x180F])
        #expect(found[4].kind == .attributeNotFound)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S50)) func `A link lost during discovery fails each request, and discovery works afterwards`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(discovery: .seconds(1)))
        let link = stage.record(peripheral.connect())
        stage.advance(151)
        let waiting = (0..<3).map { _ in stage.record(peripheral.discoverServices()) }
        stage.advance(100)
        stage.simulation.bluez.dropLink(to: Sensor.text)
        stage.advance(1)
        for one in waiting {
            #expect(one.kind == .linkLost(.remote))
            #expect(one.error == link.error)
        }
        let again = stage.connect(peripheral)
        let found = stage.record(peripheral.discoverServices())
        stage.advance(1_000)
        #expect(found.elements.map(\.uuid).ownServices.count == 3)
        #expect(stage.methods == ["Connect", "Get", "Connect"])
        withExtendedLifetime(again) {}
    }

    @Test(.proves(.S50)) func `Switching the adapter off fails a pending discovery with that reason`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(discovery: .seconds(1)))
        let link = stage.record(peripheral.connect())
        stage.advance(151)
        let waiting = stage.record(peripheral.discoverServices())
        stage.advance(100)
        stage.simulation.bluez.setPower(false)
        stage.advance(1)
        #expect(waiting.kind == .disconnected(.adapter))
        #expect(link.kind == .disconnected(.adapter))
    }

    @Test(.proves(.Q122)) func `Discovery of the hidden GAP service fails and names bluetoothd as the reason`() {
        var scenario = Scenario(peripherals: [Sensor.peripheral])
        scenario.disabledFeatures = [.claimedServices]
        let stage = Stage(scenario)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let all = stage.record(peripheral.discoverServices())
        let service = stage.record(peripheral.discoverServices([0x1800]))
        let name = stage.record(peripheral.discoverServices().flatMap { $0.discoverCharacteristics([0x2A00]) })
        let other = stage.record(peripheral.discoverServices([0x1812]))
        stage.advance(1)
        #expect(!all.elements.map(\.uuid).contains(0x1800))
        for error in [service.error, name.error] {
            #expect(error?.kind == .attributeNotFound)
            #expect(error?.description.contains("bluetoothd keeps the GAP service (1800) to itself") == true)
        }
        #expect(other.kind == .attributeNotFound)
        #expect(other.error?.description.contains("GAP") == false)
        #expect(link.isLive)
    }

    @Test(.proves(.Q122), arguments: SimulatedBlueZ.Version.allCases)
    func `The error for a value of a hidden HID service names bluetoothd`(version: SimulatedBlueZ.Version) {
        var scenario = Scenario {
            SimulatedPeripheral("Mouse", address: Sensor.text) {
                SimulatedAdvertisement(
                    every: .milliseconds(100), rssi: -50, name: "Mouse", services: ["1812"], firstAfter: .zero)
                SimulatedService("1812") { SimulatedCharacteristic("2a4b", .read([1])) }
            }
        }
        scenario.bluez = version
        let stage = Stage(scenario)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let map = stage.record(peripheral.characteristic(0x2A4B))
        // The mouse does not have this one.
        let other = stage.record(peripheral.characteristic(0x2A4F))
        stage.advance(500)
        if version == .v5_66 {
            #expect(map.kind == .attributeNotFound)
            let text = map.error?.description ?? ""
            #expect(text.contains("2A4B; bluetoothd keeps the HID service (1812) to itself"), "\(text)")
        } else {
            #expect(map.elements.count == 1)
        }
        #expect(other.kind == .attributeNotFound)
        #expect(other.error?.description.contains("bluetoothd keeps") == false && link.isLive)
    }

    @Test(.proves(.S51)) func `The error for a missing attribute names its UUID`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let service = stage.record(peripheral.discoverServices([0x1234]))
        let characteristic = stage.record(
            peripheral.discoverServices([Sensor.service]).flatMap { $0.discoverCharacteristics([0x5678]) })
        stage.advance(1)
        #expect(service.kind == .attributeNotFound)
        #expect(service.error?.description.contains("1234") == true)
        #expect(characteristic.kind == .attributeNotFound)
        #expect(characteristic.error?.description.contains("5678") == true)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S52, .Q110)) func `Two services with one UUID keep separate characteristics and values`() {
        let stage = Stage()
        let link = stage.connect(stage.find("C0:FF:EE:00:00:05"))
        let peripheral = link.elements[0]
        let services = stage.record(peripheral.discoverServices([0xFFD0]))
        stage.advance(1)
        #expect(services.elements.count == 2)
        #expect(services.elements[0] != services.elements[1])
        let values = services.elements.map { service in
            stage.record(service.discoverCharacteristics([0xFFD1]).flatMap { $0.readValue() })
        }
        stage.advance(100)
        #expect(values.map(\.elements) == [[[11]], [[22]]])
        #expect(stage.methods == ["Connect", "ReadValue", "ReadValue"])
    }

    @Test(.proves(.S52)) func `A descriptor is read and written, but writing 2902 is refused`() {
        let (stage, peripheral) = Stage.withSensor()
        let link = stage.connect(peripheral)
        let found = stage.record(stage.characteristic(Sensor.value, of: peripheral).discoverDescriptors())
        stage.advance(1)
        #expect(found.elements.map(\.uuid) == [0x2901])
        let value = stage.record(found.elements[0].readValue())
        let written = stage.record(found.elements[0].writeValue([0x42]))
        let second = stage.record(found.elements[0].readValue())
        stage.advance(100)
        #expect(value.elements == [[0x41]])
        #expect(written.isCompleted)
        #expect(second.elements == [[0x42]])
        let switches = stage.record(stage.characteristic(Sensor.notifying, of: peripheral).discoverDescriptors())
        stage.advance(1)
        let refused = stage.record(switches.elements[0].writeValue([1, 0]))
        stage.advance(1)
        #expect(refused.kind == .notPermitted)
        #expect(stage.methods == ["Connect", "ReadValue", "WriteValue", "ReadValue"])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.Q72)) func `Discovery waits for services that appear after ServicesResolved`() {
        let (stage, daemon, peripheral) = Stage.scripted(.oneDevice)
        let link = stage.connect(peripheral, daemon)
        let found = stage.record(peripheral.discoverServices())
        stage.advance(500)
        #expect(found.isLive && found.elements.isEmpty)
        daemon.add(.services)
        stage.advance(500)
        #expect(found.elements.map(\.uuid) == [0x180D])
        #expect(found.isCompleted)
        stage.expectNoTimers()
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.Q72)) func `Discovery of a peripheral without services ends after one second`() {
        let (stage, daemon, peripheral) = Stage.scripted(.oneDevice)
        let link = stage.connect(peripheral, daemon)
        let all = stage.record(peripheral.discoverServices())
        let one = stage.record(peripheral.discoverServices([0x180D]))
        stage.advance(1_000)
        #expect(all.isCompleted && all.elements.isEmpty)
        #expect(one.kind == .attributeNotFound)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.Q72)) func `The absence of services is determined once per connection`() {
        let (stage, daemon, peripheral) = Stage.scripted(.oneDevice)
        let link = stage.connect(peripheral, daemon)
        let first = stage.record(peripheral.discoverServices())
        stage.advance(999)
        #expect(first.isLive)
        stage.advance(1)
        #expect(first.isCompleted)
        let second = stage.record(peripheral.discoverServices())
        stage.advance(0)
        #expect(second.isCompleted)
        #expect(link.isLive)
        stage.expectNoTimers()
    }

    @Test(.proves(.Q73)) func `Unresolved services fail each discovery request at its own deadline`() {
        let (stage, peripheral) = Stage.withSensor(SimulatedConnection(discovery: .seconds(1_000)))
        let link = stage.record(peripheral.connect())
        stage.advance(151)
        let first = stage.record(peripheral.discoverServices())
        stage.advance(10_000)
        let second = stage.record(peripheral.discoverServices())
        let given = stage.record(peripheral.discoverServices())
        stage.advance(10_000)
        given.dispose()
        stage.advance(9_999)
        #expect(first.isLive)
        stage.advance(1)
        #expect(first.kind == .timedOut)
        #expect(first.error?.operation == .discover)
        #expect(second.isLive)
        stage.advance(10_000)
        #expect(second.kind == .timedOut)
        #expect(link.isLive)
        #expect(stage.methods == ["Connect"])
    }

    @Test func `Pending discovery leaves no timer after dispose or the end of the link`() {
        for isSaidToBeRead in [true, false] {
            for isLinkEnded in [true, false] {
                let (stage, daemon, peripheral) = Stage.scripted(.oneDevice)
                let link = stage.record(peripheral.connect())
                stage.advance(0)
                daemon.deviceChanges(["Connected": .bool(true), "ServicesResolved": .bool(isSaidToBeRead)])
                daemon.take("Connect").reply()
                stage.advance(0)
                let found = stage.record(peripheral.discoverServices())
                stage.advance(10)
                if isLinkEnded {
                    link.dispose()
                    stage.advance(0)
                    daemon.deviceChanges(["Connected": .bool(false)])
                    daemon.take("Disconnect").reply()
                    stage.advance(0)
                    #expect(found.kind == .disconnected(.requested))
                } else {
                    found.dispose()
                    stage.advance(0)
                }
                stage.expectNoTimers()
            }
        }
    }
}
