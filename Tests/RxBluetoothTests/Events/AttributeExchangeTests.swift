import RxBluetoothMocks
import TestTraits
import Testing

@testable import RxBluetooth

/// The stream of all exchanges with GATT servers.
struct AttributeExchangeTests {
    @Test(.proves(.S135), .covers(.exchanges))
    func `Each read, write and notified value is emitted once, with its result`() throws {
        let (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
        let exchanges = stage.record(stage.manager.attributeExchanges)
        let value = stage.characteristic(Sensor.value, of: peripheral)
        let refusing = stage.characteristic(Sensor.refusing, of: peripheral)
        let descriptors = stage.record(value.discoverDescriptors())
        stage.advance(0)
        let name = try #require(descriptors.elements.first { $0.uuid == 0x2901 })
        let operations = [
            stage.record(value.readValue()).asAny, stage.record(value.writeValue([2])).asAny,
            stage.record(value.writeValue([3], type: .withoutResponse)).asAny,
            stage.record(refusing.readValue()).asAny, stage.record(refusing.writeValue([4])).asAny,
            stage.record(name.readValue()).asAny, stage.record(name.writeValue([0x42])).asAny,
        ]
        stage.advance(1_000)
        let updates = [stage.record(notifying.observeValueUpdates()), stage.record(notifying.observeValueUpdates())]
        stage.advance(100)
        stage.simulation.bluez.notify([9], from: Sensor.text, "fff2")
        stage.advance(0)
        for update in updates { update.dispose() }
        stage.advance(100)
        let kinds = exchanges.elements.map(\.kind)
        #expect(exchanges.elements.map(\.number) == (1...10).map { UInt64($0) })
        try #require(kinds.count == 10)
        #expect(
            Array(kinds[0...2]) == [
                .read(value, .success([1])), .written(value, [2], .withResponse, nil),
                .written(value, [3], .withoutResponse, nil),
            ])
        guard case .read(refusing, .failure(let readError)) = kinds[3],
            case .written(refusing, [4], .withResponse, let writeError?) = kinds[4]
        else { return #expect(Bool(false), "\(kinds[3...4])") }
        #expect([readError.attCode, writeError.attCode] == [0x81, 0x0E])
        #expect(
            Array(kinds[5...]) == [
                .descriptorRead(name, .success([0x41])), .descriptorWritten(name, [0x42], nil),
                .notificationsSwitched(notifying, isOn: true), .notified(notifying, [9]),
                .notificationsSwitched(notifying, isOn: false),
            ])
        withExtendedLifetime((operations, link)) {}
    }

    @Test(.proves(.S135)) func `An operation before the subscription, or that is not sent, is no exchange`() {
        let (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
        let silent = stage.characteristic(Sensor.silent, of: peripheral)
        let before = stage.record(notifying.readValue())
        stage.advance(100)
        #expect(before.elements == [[7]])
        let exchanges = stage.record(stage.manager.attributeExchanges)
        let first = stage.record(silent.readValue())
        let waiting = stage.record(notifying.readValue())
        stage.advance(10)
        waiting.dispose()
        link.dispose()
        stage.advance(5_000)
        #expect(!first.isLive)
        #expect(exchanges.elements.count == 1)
        #expect(exchanges.elements.first?.number == 1)
        if case .read(silent, .failure)? = exchanges.elements.first?.kind {
        } else {
            #expect(Bool(false), "\(exchanges.elements)")
        }
        #expect(exchanges.isLive)
    }

    @Test(.proves(.S135)) func `An exchange is built only while there is a subscriber`() {
        let (stage, _, link, notifying) = Stage.withNotifyingSensor()
        let log = stage.manager.access.settings.exchanges
        let built = Guarded(0)
        @Sendable func kind() -> AttributeExchange.Kind {
            built.withLock { $0 += 1 }
            return .notified(notifying, [1])
        }
        log.record(kind())
        #expect(built.withLock { $0 } == 0)
        let exchanges = stage.record(stage.manager.attributeExchanges)
        log.record(kind())
        stage.advance(0)
        #expect(built.withLock { $0 } == 1 && exchanges.elements.map(\.kind) == [.notified(notifying, [1])])
        exchanges.dispose()
        stage.advance(0)
        log.record(kind())
        #expect(built.withLock { $0 } == 1)
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S135)) func `Without a subscriber, no kind of operation builds an exchange`() throws {
        let (stage, peripheral, link, notifying) = Stage.withNotifyingSensor()
        let value = stage.characteristic(Sensor.value, of: peripheral)
        let refusing = stage.characteristic(Sensor.refusing, of: peripheral)
        let descriptors = stage.record(value.discoverDescriptors())
        stage.advance(0)
        let name = try #require(descriptors.elements.first { $0.uuid == 0x2901 })
        var sent: UInt8 = 0
        func exchangeAll() {
            let operations = [
                stage.record(value.readValue()).asAny, stage.record(refusing.readValue()).asAny,
                stage.record(value.writeValue([2])).asAny, stage.record(refusing.writeValue([4])).asAny,
                stage.record(value.writeValue([3], type: .withoutResponse)).asAny,
                stage.record(name.readValue()).asAny, stage.record(name.writeValue([0x42])).asAny,
            ]
            stage.advance(1_000)
            for transport in [NotificationTransport.signals, .socket] {
                let updates = stage.record(notifying.observeValueUpdates(using: transport))
                stage.advance(100)
                sent += 1
                stage.simulation.bluez.notify([sent], from: Sensor.text, "fff2")
                stage.advance(5)
                #expect(updates.elements == [[sent]])
                updates.dispose()
                stage.advance(100)
            }
            let writing = stage.record(value.acquireWrite().flatMap { $0.write([5]).asObservable() })
            stage.advance(100)
            writing.dispose()
            stage.advance(100)
            withExtendedLifetime(operations) {}
        }
        // An exchange that is built has the next number, so the numbers show that none was built meanwhile.
        var last: UInt64 = 0
        for _ in 1...2 {
            exchangeAll()
            let exchanges = stage.record(stage.manager.attributeExchanges)
            exchangeAll()
            #expect(exchanges.elements.first?.number == last + 1)
            #expect(Set(exchanges.elements.map { Self.kind($0.kind) }).count == 6)
            last = exchanges.elements.last?.number ?? 0
            exchanges.dispose()
            stage.advance(0)
        }
        withExtendedLifetime(link) {}
    }

    private static func kind(_ exchange: AttributeExchange.Kind) -> String {
        switch exchange {
        case .read: "read"
        case .written: "written"
        case .descriptorRead: "descriptor read"
        case .descriptorWritten: "descriptor written"
        case .notificationsSwitched: "switched"
        case .notified: "notified"
        }
    }

    @Test(.proves(.S135), arguments: [NotificationTransport.signals, .socket])
    func `Notifications of several subscribers are switched and recorded once`(_ transport: NotificationTransport) {
        let (stage, _, link, notifying) = Stage.withNotifyingSensor()
        let exchanges = stage.record(stage.manager.attributeExchanges)
        let updates = (1...3).map { _ in stage.record(notifying.observeValueUpdates(using: transport)) }
        stage.advance(100)
        for value: UInt8 in 1...2 { stage.simulation.bluez.notify([value], from: Sensor.text, "fff2") }
        stage.advance(5)
        for update in updates {
            #expect(update.elements == [[1], [2]])
            update.dispose()
        }
        stage.advance(100)
        #expect(
            exchanges.elements.map(\.kind) == [
                .notificationsSwitched(notifying, isOn: true), .notified(notifying, [1]), .notified(notifying, [2]),
                .notificationsSwitched(notifying, isOn: false),
            ])
        withExtendedLifetime(link) {}
    }

    @Test(.proves(.S135)) func `A value that is written to a socket is an exchange`() {
        let (stage, peripheral, link, _) = Stage.withNotifyingSensor()
        let value = stage.characteristic(Sensor.value, of: peripheral)
        let exchanges = stage.record(stage.manager.attributeExchanges)
        let writing = stage.record(value.acquireWrite().flatMap { $0.write([5]).asObservable() })
        stage.advance(100)
        #expect(exchanges.elements.map(\.kind) == [.written(value, [5], .withoutResponse, nil)])
        writing.dispose()
        withExtendedLifetime(link) {}
    }
}

extension Recording {
    /// The recording without its type, to keep several of them.
    fileprivate var asAny: AnyObject { self }
}
