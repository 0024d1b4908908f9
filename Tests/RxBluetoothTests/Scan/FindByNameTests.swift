import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Finding one device by its name.
struct FindByNameTests {
    @Test(.proves(.S10)) func `A device is found by its exact name, and the scan stops`() throws {
        let stage = Stage(with: [Sensor.peripheral, Sensor.other])
        let name = Sensor.peripheral.name
        let found = stage.record(stage.manager.find(name: name, within: .seconds(5)))
        stage.advance(2_000)
        #expect(found.elements.map(\.address) == [Sensor.address] && found.isCompleted)
        stage.expectSettled()
        #expect(stage.count("StopDiscovery") == 1)
    }

    @Test(.proves(.S10)) func `A name that nothing advertises fails after the limit, and names it`() {
        let stage = Stage(with: [Sensor.peripheral])
        let found = stage.record(stage.manager.find(name: "Nobody", within: .seconds(3)))
        stage.advance(2_999)
        #expect(found.isLive)
        stage.advance(2)
        #expect(found.kind == .timedOut && found.error?.operation == .scan)
        #expect(found.error?.description.contains("“Nobody”") == true)
        stage.advance(100)
        stage.expectSettled()
    }

    @Test func `A limit of zero is refused without a scan`() {
        let stage = Stage(with: [Sensor.peripheral])
        let found = stage.record(stage.manager.find(name: "Nobody", within: .zero))
        stage.advance(1)
        #expect(found.kind == .invalidArgument && stage.count("StartDiscovery") == 0)
    }
}
