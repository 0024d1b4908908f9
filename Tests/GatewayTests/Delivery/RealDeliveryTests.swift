import Dispatch
import Foundation
import Gateway
import Testing

@Suite(needsMosquitto, .serialized, .timeLimit(.minutes(5))) struct RealDeliveryTests {
    /// A delivery with a database and a real broker. It stores readings at a steady rate.
    private final class RunningGateway: Sendable {
        let queue = DispatchQueue(label: "gateway")
        let delivery: LoopBound<MessageDelivery>
        let loop: GatewayLoop

        init(_ mosquitto: MosquittoProcess) throws {
            let loop = GatewayLoop(queue: queue)
            self.loop = loop
            let client = BrokerClient(gateway: "attic", availability: "lwt", settings: mosquitto.settings)
            let store = try SQLiteStore(path: mosquitto.folder.path("readings.db"))
            let made = MessageDelivery(
                broker: MQTTBroker(client, loop: loop, queue: queue), client: client, availability: "lwt",
                store: store, loop: loop)
            delivery = loop.bound(made)
            let delivery = delivery
            queue.async { delivery.value.start() }
        }

        func store(_ number: Int) {
            let delivery = delivery
            queue.async {
                delivery.value.store(Publication("r", #"{"n":\#(number)}"#))
            }
        }

        func storeEvery(_ interval: Duration, _ numbers: Range<Int>) {
            guard let number = numbers.first else { return }
            store(number)
            _ = loop.schedule(after: interval) { [self] in storeEvery(interval, numbers.dropFirst()) }
        }

        func stop() async {
            let delivery = delivery
            let queue = queue
            await withCheckedContinuation { continuation in
                queue.async { delivery.value.stop { continuation.resume() } }
            }
        }
    }

    /// Receives until all numbers have arrived, and returns the ids of each.
    private func receive(_ client: RealClient, _ count: Int) async -> [Int: Set<String>] {
        var ids: [Int: Set<String>] = [:]
        while ids.count < count {
            let event = await client.next()
            if event.hasPrefix("closed") {
                await elapse(.milliseconds(200))
                client.connect()
            } else if event.hasPrefix("received r ") {
                let text = String(event.dropFirst("received r ".count))
                let number = text.split(separator: "\"n\":").last.flatMap { Int($0.dropLast()) }
                if let number { ids[number, default: []].insert(messageId(of: text)) }
            }
        }
        return ids
    }

    /// The downtime in seconds. scripts/test-gateway sets 60.
    private static let downtime =
        ProcessInfo.processInfo.environment["RXBLUETOOTH_DOWNTIME"].flatMap { Int($0) } ?? 3

    @Test func `Nothing is lost while the broker is down`() async throws {
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        let subscriber = RealClient("subscriber", mosquitto.settings)
        subscriber.connect()
        await subscriber.wait(for: "connected")
        subscriber.subscribe("r")
        subscriber.publish(Publication("other", ""), 1)
        await subscriber.wait(for: "acknowledged")

        let gateway = try RunningGateway(mosquitto)
        let count = Self.downtime * 20 + 100
        gateway.storeEvery(.milliseconds(50), 0..<count)
        await elapse(.seconds(2))
        // In order: a mosquitto that is killed loses what it has acknowledged and not saved.
        mosquitto.stop()
        await elapse(.seconds(Self.downtime))
        try mosquitto.start()
        let ids = await receive(subscriber, count)
        #expect(ids.values.allSatisfy { $0.count == 1 && $0 != ["none"] })
        await gateway.stop()
        gateway.queue.sync { #expect(gateway.delivery.value.summary.store.count == 0) }
    }

    /// Real time passes, because the broker is real.
    private func elapse(_ duration: Duration) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(Int(duration / .milliseconds(1)))) {
                continuation.resume()
            }
        }
    }

    @Test func `Retained junk does not disturb the gateway`() async throws {
        let mosquitto = try MosquittoProcess()
        defer { mosquitto.kill() }
        let other = RealClient("other", mosquitto.settings)
        other.connect()
        await other.wait(for: "connected")
        for number in 0..<50 {
            let junk = [UInt8](repeating: UInt8(number), count: number == 7 ? 500_000 : number * 100)
            other.publish(Publication(topic: "c/\(number)", payload: junk, isRetained: true), UInt64(number))
            await other.wait(for: "acknowledged \(number)")
        }
        let received = Box()
        let gateway = try RunningGateway(mosquitto)
        gateway.queue.sync {
            gateway.delivery.value.onReceived = { message in
                #expect(message.payload.count <= 64 << 10)
                received.set(received.get() + (message.isRetained ? "r" : "l"))
            }
            gateway.delivery.value.subscribe(to: ["c/#"])
        }
        other.subscribe("r")
        gateway.store(1)
        await other.wait(for: "received r")
        await gateway.stop()
        #expect(received.get().count >= 18)
    }
}
