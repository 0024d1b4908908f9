import DBus
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// Everything that bluetoothd reports about a device.
struct PeripheralDetailsTests {
    private static let beacon = SimulatedPeripheral("Beacon", address: Sensor.text) {
        SimulatedAdvertisement(
            every: .milliseconds(100), rssi: -50, name: "Beacon", txPower: 4, services: ["fff0", "180f"],
            manufacturerData: [0x004C: [1, 2]], serviceData: ["181a": [3]], appearance: 0x0341, firstAfter: .zero)
        SimulatedService("fff0") { SimulatedCharacteristic("fff1", .read([1])) }
    }

    @Test(.proves(.S132)) func `Emits what bluetoothd knows about a device that advertises`() {
        let stage = Stage(with: [Self.beacon])
        let peripheral = stage.find(Sensor.address)
        let scan = stage.record(stage.manager.scanForPeripherals())
        stage.advance(500)
        let details = stage.record(peripheral.readDetails())
        stage.advance(0)
        var expected = PeripheralDetails()
        expected.addressKind = .random
        expected.name = "Beacon"
        expected.alias = "Beacon"
        expected.appearance = 0x0341
        expected.isPaired = false
        expected.isBonded = false
        expected.isTrusted = false
        expected.isBlocked = false
        expected.isConnected = false
        expected.areServicesResolved = false
        expected.usesLegacyPairing = false
        expected.services = [0x180F, 0xFFF0]
        expected.rssi = -50
        expected.txPowerLevel = 4
        expected.flags = [6]
        expected.manufacturerData = [0x004C: [1, 2]]
        expected.serviceData = [0x181A: [3]]
        if Ground.showsBearers {
            expected.isConnectedOverLE = false
            expected.isCablePairing = false
        }
        #expect(details.elements.map { Self.sorted($0) } == [expected] && details.isCompleted)
        #expect(stage.count("Connect") == 0)
        withExtendedLifetime(scan) {}
    }

    private static func sorted(_ details: PeripheralDetails) -> PeripheralDetails {
        var details = details
        details.services.sort { $0.description < $1.description }
        return details
    }

    @Test(.proves(.S132)) func `Includes the MTU and the facts of another program's link`() {
        let controller = LinkFactsTests.Controller()
        let stage = Stage(with: [Sensor.peripheral], controller: controller)
        let peripheral = stage.find(Sensor.address)
        let other = stage.otherProgram("Connect")
        stage.advance(1_000)
        stage.simulation.bluez.forgetCalls()
        let details = stage.record(peripheral.readDetails())
        stage.advance(0)
        #expect(controller.requests.count == 1)
        var facts = LinkFacts(unknownBecause: "the kernel does not report it")
        facts.rssi = .known(-61)
        controller.answer(.success(facts))
        stage.advance(0)
        #expect(details.elements.first?.isConnected == true && details.elements.first?.areServicesResolved == true)
        #expect(details.elements.first?.mtu == 517)
        #expect(details.elements.first?.link == facts && details.isCompleted)
        #expect(!stage.methods.contains { $0 != "GetAll" && $0 != "Get" })
        withExtendedLifetime(other) {}
    }

    @Test(.proves(.S132)) func `A controller that fails or does not answer leaves the facts unknown`() {
        let controller = LinkFactsTests.Controller()
        let stage = Stage(with: [Sensor.peripheral], controller: controller)
        let peripheral = stage.find(Sensor.address)
        let link = stage.connect(peripheral)
        let failed = stage.record(peripheral.readDetails())
        stage.advance(0)
        controller.answer(.failure(BluetoothError(.unauthorized)))
        stage.advance(0)
        #expect(failed.elements.first?.link?.rssi == .unknown(because: "of an error: unauthorized"))
        let silent = stage.record(peripheral.readDetails())
        stage.advance(4_999)
        #expect(silent.isLive)
        stage.advance(1)
        #expect(silent.elements.first?.link?.rssi == .unknown(because: "the controller has not answered in time"))
        controller.answer(.success(LinkFacts(unknownBecause: "late")))
        stage.advance(0)
        #expect(silent.elements.count == 1 && silent.isCompleted && link.isLive)
        let (plain, other) = Stage.withSensor()
        let connected = plain.connect(other)
        let details = plain.record(other.readDetails())
        plain.advance(0)
        #expect(
            details.elements.first?.link?.role == .unknown(because: "the manager was made without a HostController"))
        withExtendedLifetime(connected) {}
    }

    @Test(.proves(.S132)) func `Properties of a wrong type are nil, and the others are read`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let details = stage.record(peripheral.readDetails())
        stage.advance(0)
        daemon.take("GetAll").reply { (body) throws(DBusError) in
            try body.properties([
                "Name": .uint32(7), "Alias": .string("Alias"), "Trusted": .string("yes"), "Blocked": .bool(true),
                "RSSI": .int16(127), "UUIDs": .strings(["x", "0000180f-0000-1000-8000-00805f9b34fb"]),
                "ManufacturerData": .strings(["x"]), "Connected": .bool(false), "Unknown": .bool(true),
            ])
        }
        stage.advance(0)
        let read = details.elements.first
        #expect(read?.name == nil && read?.alias == "Alias" && read?.isTrusted == nil && read?.isBlocked == true)
        #expect(read?.rssi == nil && read?.services == [0x180F] && read?.manufacturerData == [:])
        #expect(details.isCompleted)
    }

    @Test(.proves(.S132)) func `Fails if bluetoothd does not reply, has no device, or is gone`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        let silent = stage.record(peripheral.readDetails())
        stage.advance(30_000)
        #expect(silent.kind == .timedOut && silent.error?.operation == .readState)
        #expect(silent.error?.target == peripheral.address.description)
        let refused = stage.record(peripheral.readDetails())
        stage.advance(0)
        _ = daemon.take("GetAll")
        daemon.take("GetAll").fail("org.freedesktop.DBus.Error.UnknownObject", "gone")
        stage.advance(0)
        #expect(refused.kind == .peripheralGone)
        daemon.crash()
        stage.advance(100)
        #expect(stage.record(peripheral.readDetails()).outcome(stage) == .daemonUnavailable)
        let closed = Stage.withSensor()
        let closing = closed.0.record(closed.0.manager.close())
        closed.0.advance(100)
        #expect(closed.0.record(closed.1.readDetails()).outcome(closed.0) == .closed)
        withExtendedLifetime(closing) {}
    }

    @Test(.proves(.S132)) func `Works while the adapter is off`() {
        let (stage, daemon, peripheral) = Stage.scripted()
        daemon.adapterChanges(["Powered": .bool(false)])
        let details = stage.record(peripheral.readDetails())
        stage.advance(0)
        daemon.take("GetAll").reply { (body) throws(DBusError) in try body.properties(["Trusted": .bool(true)]) }
        stage.advance(0)
        #expect(details.elements.first?.isTrusted == true && details.isCompleted)
    }
}
