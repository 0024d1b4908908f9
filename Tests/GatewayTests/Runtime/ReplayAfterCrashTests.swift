import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// Recorded packets after a process that ended without saving anything, and after a key that was removed came back.
@Suite struct ReplayAfterCrashTests {
    private static let sensor = "54:48:E6:8F:80:A5"
    private let sensor: BluetoothAddress = "54:48:E6:8F:80:A5"
    private let key = DeviceKey("231d39c1d7cc1ab1aee224cd096db932")

    private func advertisement(_ counter: UInt32) throws -> SimulatedAdvertisement {
        let sender = Sender(address: SenderAddress(sensor), key: key)
        let data = try BTHome([.temperature(Double(counter % 50))], counter: counter).section(from: sender).bytes
        return SimulatedAdvertisement(
            every: .seconds(1), rssi: -60, serviceData: ["fcd2": data], firstAfter: .zero)
    }

    private func stage(_ counter: UInt32, _ store: SimulatedStore) throws -> GatewayStage {
        let advertisement = try advertisement(counter)
        let scenario = Scenario(seed: 5) {
            SimulatedPeripheral("Sensor", address: Self.sensor, addressType: .public) { advertisement }
        }
        return GatewayStage(scenario, store: store) { configuration in
            var device = DeviceSettings(address: sensor)
            device.key = key
            configuration.devices = [device]
        }
    }

    private func readings(_ stage: GatewayStage) -> Int { stage.messages("home/attic/BTtoMQTT/").count }

    @Test func `After a crash, the packet before that of a stored reading is refused`() throws {
        let store = SimulatedStore(identity: "s")
        let first = try stage(1000, store)
        first.run(for: .seconds(5))
        #expect(readings(first) > 0)
        #expect(store.encryptedCounters.map(\.value) == [1000])
        first.simulation.bluez.advertise(try advertisement(1001), from: Self.sensor)
        // The timer of the status, which stores counters too, needs longer.
        first.time.advance(by: .seconds(30))
        #expect(store.encryptedCounters.map(\.value) == [1001])
        // The first gateway is not stopped, as after SIGKILL.
        let second = try stage(1000, store)
        second.run(for: .seconds(10))
        #expect(readings(second) == 0)
        second.simulation.bluez.advertise(try advertisement(1002), from: Self.sensor)
        second.time.advance(by: .seconds(30))
        #expect(readings(second) > 0)
    }

    @Test(arguments: [nil, DeviceKey([UInt8](repeating: 7, count: 16))])
    func `A key that a reload removes and another brings back continues its counter`(between: DeviceKey?) throws {
        let stage = try stage(1000, SimulatedStore(identity: "s"))
        stage.run(for: .seconds(5))
        #expect(readings(stage) > 0)
        let configuration = stage.gateway.configuration
        var other = configuration
        other.devices[0].key = between
        stage.gateway.reload(other)
        #expect(stage.gateway.pipeline.encryptedCounters.isEmpty)
        stage.gateway.reload(configuration)
        #expect(stage.gateway.pipeline.changedCounters.map(\.value) == [1000])
        let count = readings(stage)
        stage.simulation.bluez.advertise(try advertisement(999), from: Self.sensor)
        stage.time.advance(by: .seconds(30))
        #expect(readings(stage) == count)
        stage.simulation.bluez.advertise(try advertisement(1001), from: Self.sensor)
        stage.time.advance(by: .seconds(30))
        #expect(readings(stage) > count)
    }

    @Test func `The next process knows the counter of a key that comes back with it, or later`() throws {
        let store = SimulatedStore(identity: "s")
        let first = try stage(1000, store)
        first.run(for: .seconds(5))
        let configuration = first.gateway.configuration
        var other = configuration
        other.devices[0].key = nil
        first.gateway.reload(other)
        #expect(first.stop())
        #expect(store.encryptedCounters.map(\.value) == [1000] && store.encryptedCounters.first?.keyCheck != nil)
        let second = try stage(999, store)
        second.run(for: .seconds(10))
        #expect(readings(second) == 0)
        second.gateway.reload(other)
        #expect(second.stop())
        #expect(store.encryptedCounters.map(\.value) == [1000])
    }

    @Test func `Counters whose transaction fails are stored with the next one`() {
        let setup = DeliverySetup()
        let counter = EncryptedCounter(address: SenderAddress(sensor), format: .bthome, value: 7)
        var saved: [EncryptedCounter] = []
        setup.delivery.changedCounters = { saved.isEmpty ? [counter] : [] }
        setup.delivery.onCountersSaved = { saved += $0 }
        setup.store.appendFailure = StoreFailure(.full, "the disk is full")
        setup.storeReading(1)
        setup.time.advance(by: .seconds(10))
        #expect(saved.isEmpty && setup.store.encryptedCounters.isEmpty)
        setup.store.appendFailure = nil
        setup.time.advance(by: .seconds(60))
        #expect(saved == [counter] && setup.store.encryptedCounters == [counter])
        #expect(setup.store.summary.count == 1)
    }
}
