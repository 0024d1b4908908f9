import DBus
import RxBluetoothMocks
import Testing

/// Checks that each interrupted call is answered or fails, and that the daemon works afterwards.
struct InterruptedCallTests {
    /// An event that interrupts calls, and the action that ends it.
    enum Interruption: String, CaseIterable, Sendable {
        case power, rfkill, unplug, replug, crash, stop, drop, range, silence, reset, services
        case competingClientRemoves, competingClientDisconnects, competingClientSwitchesOff

        func begin(_ bluez: SimulatedBlueZ) {
            for address in [InterruptedCallTests.strap, InterruptedCallTests.thermometer] { begin(bluez, address) }
        }

        private func begin(_ bluez: SimulatedBlueZ, _ address: String) {
            switch self {
            case .power: bluez.setPower(false)
            case .rfkill: bluez.setBlocked(true)
            case .unplug: bluez.removeAdapter()
            case .replug: bluez.replugAdapter(as: 0, after: .milliseconds(100))
            case .crash: bluez.crash()
            case .stop: bluez.stop()
            case .drop: bluez.dropLink(to: address, reason: .timeout)
            case .range: bluez.setInRange(false, address)
            case .silence: bluez.advertise(nil, from: address)
            case .reset: bluez.reset(address)
            case .services: bluez.changeServices(of: address, to: InterruptedCallTests.services)
            case .competingClientRemoves: bluez.competingClient().remove(address)
            case .competingClientDisconnects: bluez.competingClient().disconnect(address)
            case .competingClientSwitchesOff: bluez.competingClient().setPower(false)
            }
        }

        func end(_ bluez: SimulatedBlueZ) {
            switch self {
            case .power, .competingClientSwitchesOff: bluez.setPower(true)
            case .rfkill: bluez.setBlocked(false)
            case .unplug: bluez.addAdapter()
            case .crash, .stop: bluez.start()
            case .replug, .drop, .reset, .services, .competingClientRemoves, .competingClientDisconnects: break
            case .range, .silence:
                for address in [InterruptedCallTests.strap, InterruptedCallTests.thermometer] {
                    bluez.setInRange(true, address)
                    bluez.advertise(InterruptedCallTests.advertisement, from: address)
                }
            }
        }
    }

    /// A call that the test interrupts.
    struct Deed: Sendable, CustomTestStringConvertible {
        let path: String
        let method: String
        var arguments: [Value] = []

        var testDescription: String { method }
    }

    private static let strap = "C0:FF:EE:00:00:01"
    private static let thermometer = "C0:FF:EE:00:00:02"
    private static let advertisement = SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
    private static let services = [
        SimulatedService("180d") { SimulatedCharacteristic("2a37", .read([1]), .write, .notify) }
    ]
    /// The everyday scenario with long advertising intervals, which make the many cases fast.
    private static let quiet = {
        var scenario = Scenario.everyday
        for index in scenario.peripherals.indices {
            scenario.peripherals[index].advertisement?.interval = .milliseconds(450)
            scenario.peripherals[index].advertisement?.firstAfter = .milliseconds(10)
        }
        return scenario
    }()
    private static let characteristic = Stage.strap + "/service000a/char000b"
    private static let control = Stage.strap + "/service000a/char0010"
    private static let none = Value.properties([:])

    private static let deeds = [
        Deed(path: Stage.hci, method: "Adapter1.SetDiscoveryFilter", arguments: [none]),
        Deed(path: Stage.hci, method: "Adapter1.StartDiscovery"),
        Deed(path: Stage.hci, method: "Adapter1.StopDiscovery"),
        Deed(
            path: Stage.hci, method: "Adapter1.RemoveDevice",
            arguments: [.objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01")]),
        Deed(
            path: Stage.hci, method: "Adapter1.ConnectDevice",
            arguments: [.properties(["Address": .string("C0:FF:EE:00:00:05"), "AddressType": .string("random")])]),
        Deed(
            path: Stage.hci, method: "LEAdvertisingManager1.RegisterAdvertisement",
            arguments: [.objectPath("/silent"), none]),
        Deed(
            path: Stage.hci, method: "AdvertisementMonitorManager1.RegisterMonitor", arguments: [.objectPath("/silent")]
        ),
        Deed(path: Stage.hci, method: "GattManager1.RegisterApplication", arguments: [.objectPath("/silent"), none]),
        Deed(path: Stage.thermometer, method: "Device1.Connect"),
        Deed(path: Stage.thermometer, method: "Device1.Pair"),
        Deed(path: Stage.strap, method: "Device1.Pair"),
        Deed(path: Stage.strap, method: "Device1.Disconnect"),
        Deed(path: characteristic, method: "GattCharacteristic1.ReadValue", arguments: [none]),
        Deed(path: control, method: "GattCharacteristic1.WriteValue", arguments: [.bytes([1]), none]),
        Deed(path: characteristic, method: "GattCharacteristic1.StartNotify"),
        Deed(path: characteristic, method: "GattCharacteristic1.StopNotify"),
        Deed(path: characteristic, method: "GattCharacteristic1.AcquireNotify", arguments: [none]),
        Deed(path: control, method: "GattCharacteristic1.AcquireWrite", arguments: [none]),
    ]

    @Test(arguments: deeds, Interruption.allCases)
    func `A call that is interrupted is answered or fails, and the daemon works afterwards`(
        _ deed: Deed, _ interruption: Interruption
    ) {
        // After 5 ms the daemon waits for the radio, and after 60 ms it waits for the peripheral.
        for delay in [5, 60] { run(deed, interruption, delay) }
    }

    private func run(_ deed: Deed, _ interruption: Interruption, _ delay: Int) {
        let stage = Stage(Self.quiet)
        let bluez = stage.simulation.bluez
        _ = stage.client.bus.export(at: "/silent", includingChildren: false) { _ in }
        stage.connect(Stage.strap)
        stage.scan()
        stage.run(.milliseconds(500))
        if deed.method.hasSuffix("StartDiscovery") { stage.adapter("StopDiscovery") }
        bluez.add(
            Fault(
                CallPattern(deed.method).description, calls: .only(1),
                .meanwhile(after: .milliseconds(delay)) { interruption.begin($0) }))
        let answer = stage.client.call(deed.path, "org.bluez." + deed.method, deed.arguments, timeout: .seconds(70))
        for _ in 0..<71 where answer.isOpen { stage.run(.seconds(1)) }
        #expect(!answer.isOpen)
        stage.run(.seconds(3))
        interruption.end(bluez)
        stage.run(.seconds(5))

        // Another client can scan, connect and read.
        let other = stage.another()
        stage.scan(from: other)
        stage.run(.seconds(2))
        #expect(stage.property(Stage.hci, "Adapter1", "Discovering") == "true")
        for device in [Stage.strap, Stage.thermometer] {
            #expect(stage.device(device, "Connect", from: other) == "ok")
            stage.run(.seconds(1))
            #expect(stage.property(device, "Device1", "ServicesResolved") == "true")
            let value = stage.characteristic(device + "/service000a/char000b", "ReadValue", Self.none, from: other)
            #expect(value.hasPrefix("ok"))
        }
    }
}
