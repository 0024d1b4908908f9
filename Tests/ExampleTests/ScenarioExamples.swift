import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

/// An office: a lock that needs a passkey, a plug that drops its links, and sensors with changing values.
func office() -> Scenario {
    let key = DeviceKey("231d39c1d7cc1ab1aee224cd096db932")
    var scenario = Scenario(seed: 7) {
        SimulatedAdapter(address: "00:1A:7D:DA:71:02", name: "office")
        SimulatedPeripheral("Lock", address: "C0:FF:EE:00:00:11", addressType: .public) {
            SimulatedAdvertisement(every: .milliseconds(250), rssi: -70, name: "Lock", services: ["fff0"])
            SimulatedPairing(.passkeyShown(123_456), requiresAuthentication: true)
            SimulatedService("fff0") {
                SimulatedCharacteristic("fff1", .read([0]), .write, protection: .authentication)
            }
        }
        SimulatedPeripheral("Plug", address: "C0:FF:EE:00:00:12") {
            SimulatedAdvertisement(every: .milliseconds(200), rssi: -80, jitter: 6, name: "Plug", services: ["ffe0"])
            SimulatedConnection(failures: 1, dropsAfter: .seconds(30), mtu: 64)
            SimulatedService("ffe0") {
                SimulatedCharacteristic("ffe1", .notify(every: .seconds(1)) { [UInt8($0 % 256)] })
                SimulatedCharacteristic("ffe2", .read { _ in .error(0x80) }, .write { _ in .accepted })
            }
        }
        for number in 1...3 {
            SimulatedPeripheral("Tag", address: "C0:FF:EE:00:01:0\(number)") {
                SimulatedAdvertisement(
                    .ruuvi(temperature: .steps([21, 21.5, 22])), every: .seconds(1), rssi: -60 - 5 * number)
            }
        }
        SimulatedPeripheral("Window", address: "C0:FF:EE:00:00:13") {
            SimulatedAdvertisement(.bthome(temperature: 18, key: key), every: .seconds(1), rssi: -75)
        }
        at(.seconds(60)) { $0.setInRange(false, "C0:FF:EE:00:01:01") }
    }
    scenario.packetLoss = 5
    scenario.features = [SimulatedFeature.disconnectedSignal]
    return scenario
}

/// What a test changes while the clock stands still.
func disturb(_ bluez: SimulatedBlueZ) {
    bluez.add(Fault("GattCharacteristic1.WriteValue", .error("org.bluez.Error.InProgress")))
    bluez.add(SimulatedPeripheral("Visitor", address: "C0:FF:EE:00:00:99"))
    bluez.setConnection(SimulatedConnection(delay: .seconds(3)), of: "C0:FF:EE:00:00:12")
    bluez.setPairing(SimulatedPairing(failure: .rejected), of: "C0:FF:EE:00:00:11")
    bluez.removeFaults()
    bluez.forgetCalls()
}

struct ScenarioExampleTests {
    @Test func `The peripherals of an office are found, and a lost link has a reason`() async throws {
        let stage = ExampleStage(office())
        let found = stage.scheduler.createObserver(ScannedPeripheral.self)
        let scan = stage.manager.scanForPeripherals().subscribe(found)
        stage.advance(5_000)
        #expect(Set(found.events.compactMap(\.value.element?.peripheral.address)).count == 6)
        let plug = try stage.find("FFE0")
        let connection = stage.scheduler.createObserver(Peripheral.self)
        let link = plug.connect().subscribe(connection)
        stage.advance(60_000)
        let error = connection.events.last?.value.error as? BluetoothError
        #expect(error?.kind == .disconnected(.remote) || error?.kind == .disconnected(.timeout))
        disturb(stage.simulation.bluez)
        #expect(stage.simulation.recorder.calls.isEmpty)
        scan.dispose()
        link.dispose()
    }
}
