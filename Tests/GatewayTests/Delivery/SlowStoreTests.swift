import BluetoothValues
import Dispatch
import RxTest
import Synchronization
import Testing

@testable import Gateway

/// A store in a context of its own, whose disk may be slow.
@Suite struct SlowStoreTests {
    /// A delivery whose store runs on another scheduler, which the test advances.
    private final class Setup {
        let time = VirtualLoop()
        let disk = VirtualLoop()
        let store = SimulatedStore(identity: "s")
        let server: SimulatedBrokerServer
        let subscriber: SimulatedSubscriber
        let delivery: MessageDelivery

        init() {
            server = SimulatedBrokerServer(loop: time.loop)
            subscriber = server.subscribe(to: "r/#")
            let client = BrokerClient(gateway: "attic", availability: "home/attic/LWT", settings: BrokerSettings())
            delivery = MessageDelivery(
                broker: server.client(client), client: client, availability: "home/attic/LWT", store: store, seed: 1,
                loop: time.loop, storeLoop: disk.loop)
        }

        func storeReading(_ number: Int) { delivery.store(Publication("r/1", #"{"n":\#(number)}"#)) }

        /// Runs both for a time, the disk after the gateway.
        func run(for duration: Duration) {
            for _ in 0..<Int(duration / .milliseconds(50)) {
                time.advance(by: .milliseconds(50))
                disk.advance(by: .milliseconds(50))
            }
        }

        var numbers: [Int] {
            subscriber.deliveries.compactMap { Int($0.text.split(separator: "\"n\":").last?.dropLast() ?? "") }
        }
    }

    @Test func `While the disk stalls, the gateway runs, and sends only what is stored`() {
        let setup = Setup()
        setup.delivery.start()
        setup.run(for: .seconds(1))
        for number in 0..<20 {
            setup.storeReading(number)
            setup.time.advance(by: .seconds(1))
        }
        #expect(setup.delivery.isConnected && setup.numbers.isEmpty && setup.delivery.summary.unstored == 20)
        setup.run(for: .seconds(5))
        #expect(setup.numbers == Array(0..<20))
        setup.run(for: .seconds(10))
        #expect(setup.store.summary.count == 0 && setup.delivery.summary.store.count == 0)
    }

    @Test func `A connection that is made again while the store is read misses no reading`() {
        let setup = Setup()
        for number in 0..<200 { setup.storeReading(number) }
        setup.run(for: .seconds(1))
        setup.server.isAcknowledging = false
        setup.delivery.start()
        for _ in 0..<10 {
            setup.time.advance(by: .milliseconds(700))
            setup.server.close("ble-gateway-attic")
            setup.time.advance(by: .seconds(2))
            setup.disk.advance(by: .milliseconds(50))
        }
        setup.server.isAcknowledging = true
        setup.run(for: .seconds(60))
        #expect(Set(setup.numbers) == Set(0..<200))
        #expect(setup.store.summary.count == 0)
    }

    @Test func `An orderly end waits until everything is stored`() {
        let setup = Setup()
        setup.server.stop()
        setup.delivery.start()
        setup.run(for: .seconds(1))
        for number in 0..<5 { setup.storeReading(number) }
        setup.time.advance(by: .seconds(1))
        // This one comes while the others are being stored.
        setup.storeReading(5)
        var isFinished = false
        setup.delivery.stop { isFinished = true }
        setup.time.advance(by: .seconds(20))
        #expect(!isFinished)
        setup.run(for: .seconds(1))
        #expect(isFinished && setup.store.summary.count == 6)
    }

    @Test func `A command is executed after its identifier is stored`() {
        let setup = Setup()
        var isExecuted = false
        let identifier = UsedIdentifier(address: .strap, id: "1", fingerprint: 7)
        setup.delivery.remember(identifier, keeping: .seconds(60)) { isExecuted = $0 }
        setup.time.advance(by: .seconds(1))
        #expect(!isExecuted && setup.store.usedIdentifiers.isEmpty)
        setup.run(for: .seconds(1))
        #expect(isExecuted && setup.store.usedIdentifiers == [identifier])
    }

    @Test(arguments: 1...20)
    func `No reading is lost or changed in its order while disk and broker stall at times`(seed: Int) {
        var random = Seeded(state: UInt64(seed))
        let setup = Setup()
        setup.delivery.start()
        let full = StoreFailure(.full, "the disk is full")
        for number in 0..<300 {
            switch Int.random(in: 0..<30, using: &random) {
            case 0: setup.store.appendFailure = full
            case 1, 2: setup.store.appendFailure = nil
            case 3: setup.server.close("ble-gateway-attic")
            case 4: setup.server.stop()
            case 5, 6: setup.server.start()
            default: break
            }
            setup.storeReading(number)
            setup.time.advance(by: .milliseconds(Int.random(in: 0...900, using: &random)))
            guard Bool.random(using: &random) else { continue }
            setup.disk.advance(by: .milliseconds(Int.random(in: 0...900, using: &random)))
        }
        setup.store.appendFailure = nil
        setup.server.start()
        setup.run(for: .seconds(200))
        setup.storeReading(300)
        setup.run(for: .seconds(100))
        #expect(Set(setup.numbers) == Set(0...300))
        let ids = Dictionary(grouping: setup.subscriber.deliveries.map(\.text), by: messageId(of:))
        #expect(ids.count == 301 && ids.values.allSatisfy { Set($0).count == 1 })
        #expect(setup.store.summary.count == 0 && setup.delivery.summary.unstored == 0)
    }
}
