import Gateway
import Rx

/// A delivery on a simulated broker and store, in virtual time.
final class DeliverySetup {
    let time = VirtualLoop()
    let server: SimulatedBrokerServer
    let subscriber: SimulatedSubscriber
    let store: SimulatedStore
    let broker: SimulatedBroker
    let delivery: MessageDelivery
    private(set) var notices: [DeliveryNotice] = []
    private(set) var received: [ReceivedMessage] = []

    init(
        maximumBytes: Int = 100 << 20, settings: DeliverySettings = DeliverySettings(),
        receiving: ReceivingLimit = ReceivingLimit()
    ) {
        server = SimulatedBrokerServer(loop: time.loop)
        subscriber = server.subscribe(to: "r/#")
        store = SimulatedStore(identity: "s", maximumBytes: maximumBytes)
        let client = BrokerClient(gateway: "attic", availability: "home/attic/LWT", settings: BrokerSettings())
        broker = server.client(client)
        delivery = MessageDelivery(
            broker: broker, client: client, availability: "home/attic/LWT", store: store, settings: settings,
            receiving: receiving, seed: 1, loop: time.loop)
        delivery.onNotice = { [unowned self] in notices.append($0) }
        delivery.onReceived = { [unowned self] in received.append($0) }
    }

    var noticeTexts: [String] { notices.map(\.description) }
    var availability: String? { server.retained["home/attic/LWT"]?.text }
    var ids: [String] { subscriber.deliveries.map { messageId(of: $0.text) } }

    func storeReading(_ number: Int) { delivery.store(Publication("r/1", #"{"n":\#(number)}"#)) }

    /// Stores one reading in each second.
    func storeReadings(_ numbers: Range<Int>) {
        for number in numbers {
            storeReading(number)
            time.advance(by: .seconds(1))
        }
    }
}

/// The value of `mid`, which is the first key.
func messageId(of text: String) -> String {
    guard text.hasPrefix(#"{"mid":""#) else { return "none" }
    return String(text.dropFirst(8).prefix { $0 != "\"" })
}
