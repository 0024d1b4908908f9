import RxBluetooth
import Testing

@testable import Gateway

@Suite struct InterruptionTests {
    private static let first: BluetoothAddress = "C0:FF:EE:00:00:00"

    private func stage() -> SharingStage {
        let stage = SharingStage()
        stage.start("beta", SharingStage.devices(4), rssi: -60)
        stage.run(seconds: 30)
        stage.start("alpha", SharingStage.devices(4), rssi: -60)
        stage.start("gamma", SharingStage.devices(4), rssi: -65)
        stage.run(seconds: 30)
        return stage
    }

    @Test(arguments: ["alpha", "beta", "gamma"])
    func `A short interruption of a connection changes no role`(name: String) {
        let stage = stage()
        #expect(stage.holders("owner") == ["C0FFEE000000": "beta", "C0FFEE000002": "beta"])
        #expect(Set(stage.holders("room").values) == ["beta"] && stage.holders("room").count == 4)
        let count = stage.roles.deliveries.count
        for _ in 0..<5 {
            stage.interrupt(name)
            stage.run(seconds: 40)
        }
        let changes = stage.roles.deliveries[count...].map { "\($0.topic.suffix(18)) \($0.text)" }
        #expect(changes.isEmpty, "\(changes)")
        #expect(stage.member("beta")?.owned.count == 2)
    }

    @Test(arguments: ["alpha", "beta", "gamma"], [0.0, 0.6, 2.0])
    func `Frequent interruptions of up to 2 s change no role`(name: String, outage: Double) {
        let stage = stage()
        let count = stage.roles.deliveries.count
        for _ in 0..<10 {
            stage.interrupt(name, for: .seconds(outage))
            stage.run(seconds: 14)
        }
        let changes = stage.roles.deliveries[count...].map { "\($0.topic.suffix(18)) \($0.text)" }
        #expect(changes.isEmpty, "\(changes)")
        #expect(stage.member("beta")?.owned.count == 2)
    }

    @Test func `The best other gateway takes the roles within 5 s after the last will`() {
        let stage = stage()
        let count = stage.roles.deliveries.count
        stage.interrupt("beta", for: .seconds(3600))
        stage.run(seconds: 5)
        let changes = stage.roles.deliveries[count...].map(\.text)
        #expect(changes == Array(repeating: "alpha", count: 6))
    }

    @Test func `What a flood displaced is received after it, and changes no other role`() {
        let stage = stage()
        let topic = "home/ble-gateways/devices/C0FFEE000000"
        for _ in 0..<21_000 { stage.server.publish(Publication("\(topic)/heard/flood", "{}")) }
        stage.server.publish(Publication("\(topic)/owner", "gamma", isRetained: true))
        stage.server.publish(Publication("home/delta/LWT", "online", isRetained: true))
        let count = stage.roles.deliveries.count
        stage.run(seconds: 5)
        #expect(stage.member("gamma")?.owned.isEmpty == true)
        stage.run(seconds: 30)
        let holders = stage.members.map { $0.sharing.devices[Self.first]?.owner.holder }
        #expect(holders == ["gamma", "gamma", "gamma"])
        #expect(stage.member("gamma")?.owned == [Self.first])
        #expect(stage.members.allSatisfy { $0.sharing.online.contains("delta") })
        #expect(stage.roles.deliveries.count == count)
    }

    @Test func `A repair waits longer each time if messages are ignored during it`() {
        var repair = SharingRepair()
        var (steps, now) = (0, Duration.zero)
        repair.miss(Self.first, now: now)
        while now < .seconds(3600) {
            now += .seconds(1)
            guard repair.take(now: now) != nil else { continue }
            steps += 1
            repair.miss(Self.first, now: now)
        }
        #expect((8...14).contains(steps), "\(steps)")
    }

    @Test func `A repair takes ten devices a second`() {
        var repair = SharingRepair()
        for number in 0..<25 { repair.miss(BluetoothAddress(UInt64(number)), now: .zero) }
        let sizes = (9..<15).map { repair.take(now: .seconds($0))?.devices.count ?? 0 }
        #expect(sizes == [0, 10, 10, 5, 0, 0] && repair.due == nil)
    }

    @Test func `Short interruptions of all connections at once change no role`() {
        let stage = stage()
        let count = stage.roles.deliveries.count
        for name in ["alpha", "beta", "gamma"] { stage.interrupt(name) }
        stage.run(seconds: 30)
        let changes = stage.roles.deliveries[count...].map { "\($0.topic.suffix(18)) \($0.text)" }
        #expect(changes.isEmpty, "\(changes)")
    }
}
