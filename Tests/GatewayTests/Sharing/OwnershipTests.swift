import RxBluetooth
import Testing

@testable import Gateway

@Suite struct OwnershipTests {
    private func model(seed: UInt64, devices: Int = 12, hasJobs: Bool = true) -> GatewayModel {
        var random = Seeded(state: seed)
        let places = (0..<devices).map { _ in
            GatewayModel.Place(x: .random(in: 0...24, using: &random), y: .random(in: 0...24, using: &random))
        }
        let model = GatewayModel(seed: seed, devices: places, hasJobs: hasJobs)
        for index in 0..<9 {
            model.add("gateway\(index)", at: .init(x: Double(index % 3) * 12, y: Double(index / 3) * 12))
        }
        return model
    }

    private func owners(_ model: GatewayModel) -> [BluetoothAddress: [String]] {
        var owners: [BluetoothAddress: [String]] = [:]
        for member in model.members where member.isRunning {
            for address in member.owned { owners[address, default: []].append(member.name) }
        }
        return owners
    }

    @Test func `Each device has one owner, to which it is linked`() {
        let model = model(seed: 1, devices: 30)
        model.run(for: .seconds(120))
        let owners = owners(model)
        for (address, device) in model.devices {
            #expect(owners[address]?.count == 1, "\(address): \(owners[address] ?? [])")
            #expect(device.link == owners[address]?.first)
        }
    }

    @Test func `The first owner of a device stays, although all gateways report at the same time`() {
        var changes = 0
        for seed in 10..<20 as Range<UInt64> {
            let model = model(seed: seed, devices: 30)
            model.run(for: .seconds(30))
            let topics = model.changes.map(\.topic).filter { $0.hasSuffix("owner") }
            #expect(Set(topics).count == 30)
            changes += topics.count - 30
        }
        #expect(changes <= 3, "\(changes) of 300 devices had another owner first")
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func `A still device is handed over at most once an hour, with 6 dB noise`(seed: UInt64) {
        let model = model(seed: seed)
        // Without links all gateways hear all devices all the time, which is the worst case.
        model.isLinkable = false
        model.step = .seconds(1)
        model.run(for: .seconds(120))
        let start = model.changes.count
        model.run(for: .seconds(3600))
        var handovers: [String: Int] = [:]
        for change in model.changes[start...] where change.topic.hasSuffix("owner") {
            handovers[change.topic, default: 0] += 1
        }
        #expect((handovers.values.max() ?? 0) <= 1, "\(handovers)")
        #expect(owners(model).count == 12 && owners(model).values.allSatisfy { $0.count == 1 })
    }

    @Test func `The room of a still device changes at most once an hour, with 6 dB noise`() {
        let model = model(seed: 4, hasJobs: false)
        model.step = .seconds(1)
        model.run(for: .seconds(120))
        let start = model.changes.count
        model.run(for: .seconds(3600))
        var changes: [String: Int] = [:]
        for change in model.changes[start...] { changes[change.topic, default: 0] += 1 }
        #expect((changes.values.max() ?? 0) <= 1, "\(changes)")
        #expect(model.retained.keys.count { $0.hasSuffix("room") } == 12)
    }

    @Test func `If the owner dies, another gateway is linked within 5 s of the will`() {
        let model = model(seed: 5, devices: 30)
        model.run(for: .seconds(120))
        for victim in ["gateway4", "gateway0", "gateway8"] {
            let orphans = model.devices.filter { $0.value.link == victim }.map(\.key)
            #expect(!orphans.isEmpty)
            let before = model.links.count
            model.kill(victim)
            model.run(for: .seconds(60))
            guard let will = model.wills[victim] else {
                Issue.record("no will")
                continue
            }
            for address in orphans {
                let link = model.links[before...].first { $0.address == address }
                #expect(link.map { $0.time - will <= .seconds(5) } == true, "\(address) after \(victim)")
            }
        }
        #expect(owners(model).values.allSatisfy { $0.count == 1 })
    }

    @Test func `A gateway without the broker keeps its links, and one owner remains afterwards`() {
        let model = model(seed: 6)
        model.run(for: .seconds(120))
        let linked = model.devices.filter { $0.value.link == "gateway4" }.map(\.key).sorted()
        #expect(!linked.isEmpty)
        model.member("gateway4")?.isReachable = false
        model.run(for: .seconds(600))
        // The device accepts one link, which lasts.
        #expect(linked.allSatisfy { model.devices[$0]?.link == "gateway4" })
        let before = model.links.count
        model.member("gateway4")?.isReachable = true
        model.run(for: .seconds(120))
        let owners = owners(model)
        #expect(owners.values.allSatisfy { $0.count == 1 }, "\(owners)")
        #expect(model.devices.allSatisfy { owners[$0.key]?.first == $0.value.link })
        let links = model.links[before...].reduce(into: [:]) { $0[$1.address, default: 0] += 1 }
        #expect(linked.allSatisfy { links[$0] == nil && owners[$0] == ["gateway4"] })
        #expect(links.values.allSatisfy { $0 <= 1 }, "\(links)")
    }

    @Test func `A device that moved gets the nearer owner`() {
        let model = GatewayModel(seed: 8, devices: [.init(x: 0, y: 0)])
        model.add("left", at: .init(x: 0, y: 0))
        model.add("right", at: .init(x: 60, y: 0))
        model.run(for: .seconds(60))
        let address = BluetoothAddress(0xC0FF_EE00_0000)
        #expect(model.devices[address]?.link == "left")
        model.devices[address]?.place = .init(x: 60, y: 0)
        model.isLinkable = false
        model.dropLink(of: address)
        model.run(for: .seconds(600))
        model.isLinkable = true
        model.run(for: .seconds(5))
        #expect(model.devices[address]?.link == "right")
    }

    @Test func `Without any broker, each heard device gets a link, which stays`() {
        let model = model(seed: 9)
        for member in model.members { member.isReachable = false }
        model.run(for: .seconds(180))
        #expect(model.devices.values.allSatisfy { $0.link != nil })
        let links = model.links.count
        for member in model.members { member.isReachable = true }
        model.run(for: .seconds(120))
        #expect(owners(model).values.allSatisfy { $0.count == 1 })
        #expect(model.links.count == links)
    }

    @Test(arguments: [false, true])
    func `Without any broker, a gateway owns only the devices that it hears`(isHeard: Bool) throws {
        let devices = SharingStage.devices(1)
        let address = try #require(devices.first).address
        var sharing = DeviceSharing(gateway: "a", devices: devices, now: .zero)
        var actions = sharing.connected(now: .zero)
        actions += sharing.heard(address, rssi: -60, now: .seconds(1))
        // A minute later, the device is no longer heard, and the gateway decides without the broker.
        actions += sharing.disconnected(now: .seconds(1))
        for second in 1...600 {
            if isHeard { actions += sharing.heard(address, rssi: -60, now: .seconds(second)) }
            actions += sharing.tick(now: .seconds(second))
        }
        let isOwned = actions.contains { if case .setOwned(address, true) = $0 { true } else { false } }
        #expect(isOwned == isHeard)
    }

    @Test func `A claim that the broker lost is repeated after 5 s`() {
        let address: BluetoothAddress = "C0:FF:EE:00:00:01"
        let device = DeviceSettings(address, [GATTJob(.notify, of: "2A37")])
        var sharing = DeviceSharing(gateway: "left", devices: [device], now: .zero)
        _ = sharing.connected(now: .zero)
        var claims: [Int] = []
        for second in 0..<40 {
            let now = Duration.seconds(second)
            // Each report of another gateway makes this one decide again.
            let report = ReceivedMessage(
                topic: "home/ble-gateways/devices/C0FFEE000001/heard/right",
                payload: HeardReport(rssi: -90 - second % 2).payload, isRetained: false)
            let events = sharing.receive(report, now: now) + sharing.heard(address, rssi: -50, now: now)
            for action in events + sharing.tick(now: now) {
                if case .publish(let message) = action, message.topic.hasSuffix("/owner") { claims.append(second) }
            }
        }
        #expect(claims.count >= 4 && zip(claims, claims.dropFirst()).allSatisfy { $1 - $0 >= 5 }, "\(claims)")
    }

    @Test func `A linked device that another gateway claimed meanwhile is claimed back`() {
        let address: BluetoothAddress = "C0:FF:EE:00:00:01"
        let device = DeviceSettings(address, [GATTJob(.notify, of: "2A37")])
        var sharing = DeviceSharing(gateway: "left", devices: [device], now: .zero)
        func owner(_ name: String) -> ReceivedMessage {
            ReceivedMessage(
                topic: "home/ble-gateways/devices/C0FFEE000001/owner", payload: Array(name.utf8), isRetained: true)
        }
        _ = sharing.connected(now: .zero)
        _ = sharing.heard(address, rssi: -50, now: .zero)
        #expect(sharing.receive(owner("left"), now: .seconds(1)).contains(.setOwned(address, true)))
        _ = sharing.link(address, isUp: true, now: .seconds(2))
        _ = sharing.disconnected(now: .seconds(10))
        _ = sharing.connected(now: .seconds(100))
        let actions = sharing.receive(owner("right"), now: .seconds(101))
        #expect(actions.contains { if case .publish(let message) = $0 { message.text == "left" } else { false } })
        _ = sharing.receive(owner("left"), now: .seconds(102))
        _ = sharing.tick(now: .seconds(110))
        #expect(sharing.isOwned(address))
    }

    @Test func `The room of a device that is gone is empty`() {
        let model = model(seed: 10, devices: 3, hasJobs: false)
        model.run(for: .seconds(60))
        for address in model.devices.keys { model.devices[address]?.isPresent = false }
        model.run(for: .seconds(90))
        let rooms = model.retained.filter { $0.key.hasSuffix("room") }
        #expect(rooms.count == 3 && rooms.values.allSatisfy { $0 == Array("not_home".utf8) })
        #expect(!model.retained.keys.contains { $0.contains("/heard/") })
    }

    @Test func `A gateway that cannot connect lets another one try`() {
        let model = GatewayModel(seed: 11, devices: [.init(x: 1, y: 0)])
        model.add("left", at: .init(x: 0, y: 0))
        model.add("right", at: .init(x: 8, y: 0))
        let address = BluetoothAddress(0xC0FF_EE00_0000)
        model.isLinkable = false
        model.run(for: .seconds(60))
        #expect(model.member("left")?.owned == [address])
        model.failToConnect("left", to: address)
        model.run(for: .seconds(30))
        #expect(model.member("right")?.owned == [address] && model.member("left")?.owned == [])
    }
}
