import BluetoothValues
import RxBluetooth
import RxBluetoothMocks
import Testing

@testable import Gateway

/// The discovery of devices that the configuration does not contain.
@Suite struct OtherDiscoveryTests {
    private static let own: BluetoothAddress = "A4:C1:38:00:00:01"
    private static func other(_ number: Int) -> BluetoothAddress { BluetoothAddress(0xD000_0000_0000 + UInt64(number)) }
    private static func topic(_ number: Int) -> String {
        "homeassistant/device/ble-\(other(number).plainText.lowercased())/config"
    }

    private func stage(
        _ name: String = "attic", sharing: GatewayStage? = nil, limit: Int = 3,
        discovery: HomeAssistantSettings.Discovery = .knownFormats
    ) -> GatewayStage {
        let stage = GatewayStage(.quiet, name: name, sharing: sharing) {
            $0.devices = [DeviceSettings(address: Self.own)]
            // The devices of the simulation are not part of these tests.
            $0.filter.denied = ["C0:FF:EE"]
            $0.homeAssistant?.discovery = discovery
            $0.homeAssistant?.discoveryLimit = limit
            $0.homeAssistant?.discoveryExpiry = .seconds(600)
        }
        stage.run(for: .seconds(2))
        return stage
    }

    private func send(_ stage: GatewayStage, _ address: BluetoothAddress) {
        _ = stage.gateway.pipeline.receive(
            [.service(0xFCD2, [0x40, 0x02, UInt8.random(in: 0...255), 1])], from: address, of: address, name: nil,
            rssi: -60, time: stage.time.scheduler.now)
    }

    private func discovered(_ stage: GatewayStage) -> [Int] {
        (0..<20).filter { stage.server.retained[Self.topic($0)] != nil }
    }

    private func isOwnDiscovered(_ stage: GatewayStage) -> Bool {
        stage.server.retained["homeassistant/device/ble-a4c138000001/config"] != nil
    }

    @Test func `Other devices are discovered up to the limit, and configured ones always`() {
        let stage = stage()
        for number in 0..<20 { send(stage, Self.other(number)) }
        send(stage, Self.own)
        stage.time.advance(by: .seconds(10))
        #expect(discovered(stage) == [0, 1, 2] && isOwnDiscovered(stage))
        #expect(stage.gateway.status().drops["discoveries_refused"] == 17)
    }

    @Test(arguments: [HomeAssistantSettings.Discovery.configured, .none])
    func `The policy excludes other devices, or all`(policy: HomeAssistantSettings.Discovery) {
        let stage = stage(discovery: policy)
        send(stage, Self.other(1))
        send(stage, Self.own)
        stage.time.advance(by: .seconds(10))
        #expect(discovered(stage).isEmpty && isOwnDiscovered(stage) == (policy == .configured))
        #expect(stage.server.retained["homeassistant/device/ble-gateway-attic/config"] != nil)
        #expect(stage.gateway.status().drops["discoveries_refused"] == 0)
    }

    @Test func `A device that was not heard for the expiry is removed, and makes room`() {
        let stage = stage()
        for number in 0..<3 { send(stage, Self.other(number)) }
        stage.time.advance(by: .seconds(300))
        send(stage, Self.other(1))
        stage.time.advance(by: .seconds(360))
        #expect(discovered(stage) == [1])
        send(stage, Self.other(9))
        stage.time.advance(by: .seconds(10))
        #expect(discovered(stage) == [1, 9])
    }

    @Test func `While the broker is away, devices are removed after it returns`() {
        let stage = stage()
        send(stage, Self.other(0))
        stage.time.advance(by: .seconds(10))
        stage.server.stop()
        stage.time.advance(by: .seconds(800))
        #expect(discovered(stage) == [0])
        stage.server.start()
        stage.time.advance(by: .seconds(200))
        #expect(discovered(stage).isEmpty)
    }

    @Test func `A removal that the connection loses is repeated`() {
        let stage = stage()
        send(stage, Self.other(0))
        stage.time.advance(by: .seconds(10))
        stage.server.stop(keepsState: true)
        stage.time.advance(by: .seconds(580))
        stage.server.start()
        stage.time.advance(by: .seconds(200))
        #expect(discovered(stage).isEmpty)
        // As if the broker had never received it.
        stage.server.publish(Publication(Self.topic(0), "{}", isRetained: true))
        stage.server.close("ble-gateway-attic")
        stage.time.advance(by: .seconds(20))
        #expect(discovered(stage).isEmpty)
    }

    @Test func `After a restart, devices that have left meanwhile are removed`() {
        let first = stage()
        for number in 0..<3 { send(first, Self.other(number)) }
        first.time.advance(by: .seconds(30))
        #expect(first.stop())
        let second = stage(sharing: first)
        second.time.advance(by: .seconds(100))
        send(second, Self.other(2))
        // The devices of the earlier process keep their places.
        send(second, Self.other(7))
        second.time.advance(by: .seconds(10))
        #expect(discovered(second) == [0, 1, 2])
        second.time.advance(by: .seconds(560))
        #expect(discovered(second) == [2])
    }

    @Test func `After a jump of the clock, a restart removes only devices that are not heard`() {
        let first = stage()
        for number in 0..<2 { send(first, Self.other(number)) }
        first.time.advance(by: .seconds(30))
        #expect(first.stop())
        // As if the clock had been set forward by years.
        let list = #"{"D00000000000":-100000000,"D00000000001":-100000000}"#
        first.server.publish(Publication("home/attic/status/discovered", list, isRetained: true))
        let second = stage(sharing: first)
        second.time.advance(by: .seconds(120))
        #expect(discovered(second) == [0, 1])
        send(second, Self.other(1))
        second.time.advance(by: .seconds(300))
        #expect(discovered(second) == [1])
    }

    @Test func `After a restart with another policy, the other devices are removed`() {
        let first = stage()
        for number in 0..<3 { send(first, Self.other(number)) }
        first.time.advance(by: .seconds(30))
        #expect(first.stop())
        let second = stage(sharing: first, discovery: .configured)
        second.time.advance(by: .seconds(70))
        #expect(discovered(second).isEmpty)
        #expect(second.server.retained["home/attic/status/discovered"] == nil)
    }

    @Test func `A device that another gateway hears is published again after its removal`() {
        let first = stage()
        let second = stage("hall", sharing: first)
        send(first, Self.other(0))
        send(second, Self.other(0))
        first.time.advance(by: .seconds(500))
        send(second, Self.other(0))
        first.time.advance(by: .seconds(200))
        #expect(discovered(first) == [0])
        first.time.advance(by: .seconds(500))
        #expect(discovered(first).isEmpty)
    }

    @Test(arguments: ["", "{", "[]", #"{"zz":1}"#, #"{"A4C138000001":1}"#, #"{"D00000000001":"x"}"#])
    func `A damaged list removes nothing`(list: String) {
        let first = stage()
        send(first, Self.own)
        send(first, Self.other(1))
        first.time.advance(by: .seconds(30))
        #expect(first.stop())
        first.server.publish(Publication("home/attic/status/discovered", list, isRetained: true))
        let second = stage(sharing: first)
        second.time.advance(by: .seconds(70))
        #expect(discovered(second) == [1] && isOwnDiscovered(second))
    }
}

extension Scenario {
    /// One device that is seldom heard, so that long times are simulated quickly.
    static let quiet = Scenario(seed: 3) {
        SimulatedPeripheral("Ruuvi", address: "C0:FF:EE:00:00:02") {
            SimulatedAdvertisement(every: .seconds(5), rssi: -60, manufacturerData: [0x0499: ruuvi])
        }
    }
}
