import DBus
import Rx
import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// Devices that have changed while their signals were not received, because a scan received packets only.
struct DeviceSignalsRefreshTests {
    private typealias Objects = ScriptedDaemon.Objects
    private static let identity: BluetoothAddress = "00:11:22:33:44:55"
    private static let otherPath = "/org/bluez/hci0/dev_00_11_22_33_44_55"

    /// A scan with packets on a bluetoothd that the test controls, without the signals of devices.
    private struct Scanning {
        let stage: Stage
        let daemon: ScriptedDaemon
        let scan: Recording<ScannedPeripheral>
        let peripheral: Peripheral

        init(_ properties: [String: Value] = [:]) throws {
            let sockets = SimulatedSockets()
            stage = Stage(starting: false, advertisements: sockets)
            sockets.use(stage.simulation)
            let objects = Objects.oneKnownDevice.setting(Objects.devicePath, "org.bluez.Device1", properties)
            daemon = ScriptedDaemon(on: stage, objects)
            for member in ["SetDiscoveryFilter", "StartDiscovery", "StopDiscovery"] { daemon.always(member) }
            scan = stage.record(stage.manager.scanForPeripherals(options: ScanOptions(allowsDuplicates: true)))
            stage.advance(100)
            Self.send(stage, [2, 0x0A, 4])
            stage.advance(6_000)
            peripheral = try #require(scan.elements.first?.peripheral)
        }

        /// Sends Device Found with an address in the order of its text.
        private static func send(_ stage: Stage, _ packet: [UInt8], _ address: [UInt8] = [0xC0, 0xFF, 0xEE, 0, 0, 1]) {
            let parameters: [UInt8] = address.reversed() + [2, 0xC4, 0, 0, 0, 0, UInt8(packet.count), 0] + packet
            stage.simulation.bluez.sendManagementEvent([0x12, 0, 0, 0, UInt8(parameters.count), 0] + parameters)
        }

        /// Sends a packet. Returns the peripherals that were emitted for it.
        func receive(_ packet: [UInt8], from address: [UInt8] = [0xC0, 0xFF, 0xEE, 0, 0, 1]) -> [Peripheral] {
            let count = scan.elements.count
            Self.send(stage, packet, address)
            stage.advance(100)
            return scan.elements.dropFirst(count).map(\.peripheral)
        }

        /// Changes the device in bluetoothd. The manager does not receive the signal.
        func change(_ properties: [String: Value]) {
            daemon.tell(
                ScriptedDaemon.value(
                    Objects.oneKnownDevice.setting(Objects.devicePath, "org.bluez.Device1", properties)))
            daemon.deviceChanges(properties)
            stage.advance(100)
        }
    }

    @Test(.proves(.Q62)) func `A device that another program has bonded is found by its identity address`() throws {
        let scanning = try Scanning()
        scanning.change(["Address": .string(Self.identity.description), "Paired": .bool(true)])
        for _ in 0..<30 { _ = scanning.receive([2, 0x0A, 5], from: [0, 0x11, 0x22, 0x33, 0x44, 0x55]) }
        #expect(scanning.receive([2, 0x0A, 6], from: [0, 0x11, 0x22, 0x33, 0x44, 0x55]) == [scanning.peripheral])
        #expect(scanning.scan.elements.last?.advertisementData.txPowerLevel == 6)
    }

    @Test func `Packets of devices that bluetoothd does not show read the devices once a minute`() throws {
        let scanning = try Scanning()
        let readings = Guarded(0)
        scanning.daemon.always("GetManagedObjects") { call in
            readings.withLock { $0 += 1 }
            call.reply { (body) throws(DBusError) in
                try body.value(ScriptedDaemon.value(Objects.oneKnownDevice))
            }
        }
        let unknown: [UInt8] = [0, 0x11, 0x22, 0x33, 0x44, 0x55]
        for _ in 0..<20 { #expect(scanning.receive([2, 0x0A, 5], from: unknown) == []) }
        #expect(readings.withLock { $0 } == 0)
        for _ in 0..<580 { #expect(scanning.receive([2, 0x0A, 5], from: unknown) == []) }
        #expect(readings.withLock { $0 } == 1)
        for _ in 0..<100 { #expect(scanning.receive([2, 0x0A, 5], from: unknown) == []) }
        #expect(readings.withLock { $0 } == 2)
    }

    @Test(.proves(.Q62)) func `The identity address of a removed device belongs to its new object`() throws {
        let scanning = try Scanning(["Address": .string(Self.identity.description)])
        let address: [UInt8] = [0, 0x11, 0x22, 0x33, 0x44, 0x55]
        #expect(scanning.receive([2, 0x0A, 5], from: address) == [scanning.peripheral])
        scanning.daemon.remove(Objects.devicePath, "org.bluez.Device1")
        scanning.daemon.add([
            Self.otherPath: [
                "org.bluez.Device1": ["Address": .string(Self.identity.description), "AddressType": .string("public")]
            ]
        ])
        scanning.stage.advance(100)
        let found = scanning.receive([2, 0x0A, 6], from: address)
        #expect(found.map(\.address) == [Self.identity] && found.first !== scanning.peripheral)
    }

    @Test(.proves(.Q58)) func `GATT services of an earlier connection do not count as advertised`() throws {
        let scanning = try Scanning()
        #expect(scanning.receive([3, 0x03, 0x1A, 0x18]) == [scanning.peripheral])
        let services = ["0000180d-0000-1000-8000-00805f9b34fb", "0000181a-0000-1000-8000-00805f9b34fb"]
        scanning.change(["UUIDs": .strings(services)])
        let connected = scanning.stage.record(scanning.stage.manager.retrieveConnectedPeripherals())
        scanning.stage.advance(100)
        #expect(connected.elements == [[]])
        #expect(scanning.receive([2, 0x0A, 6]) == [scanning.peripheral])
        #expect(scanning.scan.elements.last?.advertisementData.serviceUUIDs == [0x181A])
    }

    @Test func `A link that another program made is known when reading has succeeded late`() throws {
        let scanning = try Scanning()
        scanning.daemon.always("GetManagedObjects") { $0.fail(DBusError(name: "org.bluez.Error.Failed", message: "")) }
        scanning.daemon.always("Connect")
        scanning.daemon.always("Disconnect")
        scanning.daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let discovery = scanning.stage.record(
            scanning.peripheral.connect().flatMap { $0.discoverServices().map(\.uuid) })
        scanning.stage.advance(500)
        #expect(discovery.elements.isEmpty && discovery.isLive)
        // bluetoothd has read the services before the devices can be read.
        scanning.daemon.always("GetManagedObjects") { call in
            let objects = Objects.oneKnownDevice.setting(
                Objects.devicePath, "org.bluez.Device1",
                ["Connected": .bool(true), "ServicesResolved": .bool(true)])
            call.reply { (body) throws(DBusError) in try body.value(ScriptedDaemon.value(objects)) }
        }
        scanning.stage.advance(3_000)
        #expect(discovery.elements == [0x180D])
    }

    @Test func `The link of another program stays open, although the devices cannot be read`() throws {
        let scanning = try Scanning()
        scanning.daemon.always("GetManagedObjects") { $0.fail(DBusError(name: "org.bluez.Error.Failed", message: "")) }
        scanning.daemon.always("Connect")
        scanning.daemon.always("Disconnect")
        scanning.daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let connection = scanning.stage.record(scanning.peripheral.connect())
        scanning.stage.advance(500)
        #expect(connection.elements.count == 1 && connection.isLive)
        connection.dispose()
        scanning.stage.advance(3_000)
        #expect(scanning.daemon.count("Disconnect") == 0)
    }

    @Test func `Reading the devices again reports no service of a link as new`() throws {
        let scanning = try Scanning()
        scanning.daemon.always("GetManagedObjects") { $0.fail(DBusError(name: "org.bluez.Error.Failed", message: "")) }
        scanning.daemon.always("Connect")
        scanning.daemon.always("Disconnect")
        scanning.daemon.always("Get") { $0.reply { (body) throws(DBusError) in try body.value(.variant(.bool(true))) } }
        let connection = scanning.stage.record(scanning.peripheral.connect())
        scanning.stage.advance(100)
        scanning.daemon.deviceChanges(["Connected": .bool(true), "ServicesResolved": .bool(true)])
        scanning.stage.advance(100)
        let modified = scanning.stage.record(scanning.peripheral.observeModifiedServices())
        scanning.daemon.always("GetManagedObjects") { call in
            let objects = Objects.oneKnownDevice.setting(
                Objects.devicePath, "org.bluez.Device1",
                ["Connected": .bool(true), "ServicesResolved": .bool(true)])
            call.reply { (body) throws(DBusError) in try body.value(ScriptedDaemon.value(objects)) }
        }
        scanning.stage.advance(5_000)
        #expect(connection.error == nil)
        #expect(connection.isLive && connection.elements.count == 1)
        #expect(modified.elements.isEmpty && modified.isLive)
    }
}
