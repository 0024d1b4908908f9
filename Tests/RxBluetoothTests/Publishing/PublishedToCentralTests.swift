import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// A service that one manager publishes, used by another manager as the central.
struct PublishedToCentralTests {
    private static let address: BluetoothAddress = "C0:FF:EE:00:00:A0"

    @Test(.proves(.S102, .S87))
    func `Another manager discovers, reads, writes and observes a published service`() {
        let stage = Stage(Scenario(adapters: [Radio.first, Radio.second], peripherals: []), adapter: .number(0))
        let stored = Guarded([UInt8](repeating: 3, count: 100))
        let values = PublishSubject<[UInt8]>()
        let service = LocalService(
            0xFFA0,
            characteristics: [
                LocalCharacteristic(
                    0xFFA1, [.read, .write],
                    onRead: { _ in .just(stored.withLock { $0 }) },
                    onWrite: { request in
                        guard request.value != [0xFF] else { return .error(ATTError.application(0x85)) }
                        stored.withLock { $0 = request.value }
                        return .empty()
                    }),
                LocalCharacteristic(0xFFA2, .notify, updates: values),
            ])
        let published = stage.record(stage.manager.publish([service]))
        stage.advance(100)
        let subscribed = stage.record(
            published.elements.first.map { $0.observeIsSubscribed(0xFFA2) } ?? .empty())
        stage.simulation.bluez.showPublishedServices(as: Self.address.description)
        stage.advance(1_000)

        let other = BluetoothManager(
            configuration: .init(adapter: .number(1), scheduler: stage.scheduler), bus: stage.simulation.connect())
        let found = stage.record(other.peripheral(Self.address))
        stage.advance(2_000)
        guard let peripheral = found.elements.first else {
            Issue.record("The peripheral was not found.")
            return
        }
        let link = stage.record(peripheral.connect())
        stage.advance(2_000)
        let characteristics = stage.record(
            peripheral.discoverServices([0xFFA0]).flatMap { $0.discoverCharacteristics() })
        stage.advance(100)
        #expect(link.isLive && characteristics.elements.map(\.uuid) == [0xFFA1, 0xFFA2])
        guard characteristics.elements.count == 2 else { return }
        let (value, notifying) = (characteristics.elements[0], characteristics.elements[1])
        #expect(value.properties == [.read, .write] && notifying.properties == .notify)

        let read = stage.record(value.readValue())
        stage.advance(1_000)
        #expect(read.elements == [[UInt8](repeating: 3, count: 100)])
        let write = stage.record(value.writeValue([1, 2]))
        let refused = stage.record(value.writeValue([0xFF]))
        stage.advance(1_000)
        #expect(write.isCompleted && stored.withLock { $0 } == [1, 2])
        #expect(refused.kind == .attError && refused.error?.attCode == 0x85)

        values.onNext([0])
        let updates = stage.record(notifying.observeValueUpdates())
        stage.advance(1_000)
        #expect(subscribed.elements == [false, true])
        for number: UInt8 in 1...3 { values.onNext([number]) }
        stage.advance(1_000)
        #expect(updates.elements == [[1], [2], [3]])
        updates.dispose()
        stage.advance(1_000)
        #expect(subscribed.elements == [false, true, false])
        published.dispose()
        let gone = stage.record(value.readValue())
        stage.advance(1_000)
        #expect(gone.kind == .attError)
    }
}
