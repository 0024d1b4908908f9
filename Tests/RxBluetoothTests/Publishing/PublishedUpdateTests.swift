import DBus
import RxBluetooth
import RxBluetoothMocks
import TestTraits
import Testing

/// Subscriptions of centrals, and the values that are notified or indicated to them.
struct PublishedUpdateTests {
    /// Publishes one service with these characteristics, and connects a central.
    private func published(
        _ characteristics: LocalCharacteristic..., mtu: Int = 23
    ) -> (stage: Stage, central: SimulatedCentral, published: Recording<PublishedServices>) {
        let stage = Stage(Scenario(peripherals: []))
        let published = stage.record(
            stage.manager.publish([LocalService(0xFFA0, characteristics: characteristics)]))
        stage.advance(100)
        let central = stage.simulation.bluez.connectCentral(mtu: mtu)
        stage.advance(1_000)
        return (stage, central, published)
    }

    @Test(.proves(.S97), .covers(.updates))
    func `Values reach subscribed centrals in order; without one, nothing is sent`() {
        let (stage, central, published) = published(LocalCharacteristic(0xFFA1, .notify))
        let services = published.elements[0]
        let unsent = stage.record(services.updateValue([1], for: 0xFFA1))
        stage.advance(100)
        #expect(unsent.elements == [false])
        let other = stage.simulation.bluez.connectCentral("DA:00:00:00:00:02", mtu: 100)
        central.subscribe(to: "ffa1")
        other.subscribe(to: "ffa1")
        stage.advance(1_000)
        let long = [UInt8](repeating: 9, count: 60)
        let sent = stage.record(
            Observable.from([[2], [3], long]).concatMap { services.updateValue($0, for: 0xFFA1, of: 0xFFA0) })
        stage.advance(1_000)
        #expect(sent.elements == [true, true, true] && sent.isCompleted)
        #expect(central.updates.map(\.value) == [[2], [3], Array(long.prefix(20))])
        #expect(other.updates.map(\.value) == [[2], [3], long])
    }

    @Test(.proves(.S97, .Q115), .covers(.subscribers))
    func `Each subscription is emitted, and the end of the last one`() {
        let (stage, central, published) = published(
            LocalCharacteristic(0xFFA1, .notify), LocalCharacteristic(0xFFA2, .indicate))
        let services = published.elements[0]
        let begins = stage.record(services.observeOnSubscribe())
        let ends = stage.record(services.observeOnUnsubscribe())
        let state = stage.record(services.observeIsSubscribed(0xFFA1))
        let other = stage.simulation.bluez.connectCentral("DA:00:00:00:00:02")
        stage.advance(100)
        #expect(state.elements == [false])
        central.subscribe(to: "ffa1")
        other.subscribe(to: "ffa1")
        other.subscribe(to: "ffa2", indications: true)
        stage.advance(1_000)
        #expect(begins.elements.map(\.characteristic) == [0xFFA1, 0xFFA1, 0xFFA2])
        #expect(state.elements == [false, true])
        central.unsubscribe(from: "ffa1")
        stage.advance(1_000)
        #expect(ends.elements.isEmpty)
        other.disconnect()
        stage.advance(1_000)
        #expect(Set(ends.elements.map(\.characteristic)) == [0xFFA1, 0xFFA2] && ends.elements.count == 2)
        #expect(state.elements == [false, true, false])
        let now = stage.record(services.observeIsSubscribed(0xFFA2, of: 0xFFA0))
        let unknown = stage.record(services.observeIsSubscribed(0xFFA3))
        stage.advance(1)
        #expect(now.elements == [false] && now.isLive)
        #expect(unknown.times.isEmpty == false && unknown.isCompleted && unknown.elements.isEmpty)
    }

    @Test(.proves(.S98)) func `Updates are subscribed to while a central is subscribed`() {
        let subscriptions = Guarded(0)
        let updates = Observable<[UInt8]>.create { observer in
            subscriptions.withLock { $0 += 1 }
            observer.onNext([UInt8(subscriptions.withLock { $0 })])
            return Disposables.create { subscriptions.withLock { $0 -= 1 } }
        }
        let (stage, central, published) = published(LocalCharacteristic(0xFFA1, .notify, updates: updates))
        let other = stage.simulation.bluez.connectCentral("DA:00:00:00:00:02")
        #expect(subscriptions.withLock { $0 } == 0)
        central.subscribe(to: "ffa1")
        stage.advance(100)
        other.subscribe(to: "ffa1")
        stage.advance(1_000)
        #expect(subscriptions.withLock { $0 } == 1)
        #expect(central.updates.map(\.value) == [[1]] && other.updates.isEmpty)
        central.disconnect()
        stage.advance(100)
        #expect(subscriptions.withLock { $0 } == 1)
        other.disconnect()
        stage.advance(100)
        #expect(subscriptions.withLock { $0 } == 0)
        central.connect()
        central.subscribe(to: "ffa1")
        stage.advance(1_000)
        #expect(subscriptions.withLock { $0 } == 1 && central.updates.count == 2)
        published.dispose()
        stage.advance(100)
        #expect(subscriptions.withLock { $0 } == 0)
    }

    @Test(.proves(.S98)) func `An error of the updates fails the published services; completion does not`() {
        struct Broken: Error {}
        let (stage, central, published) = published(
            LocalCharacteristic(0xFFA1, .notify, updates: .just([1])),
            LocalCharacteristic(0xFFA2, .notify, updates: .error(Broken())))
        central.subscribe(to: "ffa1")
        stage.advance(1_000)
        #expect(published.isLive && central.updates.map(\.value) == [[1]])
        central.subscribe(to: "ffa2")
        stage.advance(1_000)
        #expect(published.events.last?.error is Broken)
        #expect(stage.count("UnregisterApplication") == 1)
    }

    @Test(.proves(.S97)) func `The next indication waits until the last one is confirmed`() {
        let (stage, central, published) = published(LocalCharacteristic(0xFFA1, .indicate))
        let services = published.elements[0]
        central.subscribe(to: "ffa1", indications: true)
        stage.advance(1_000)
        let sent = (1...3).map { stage.record(services.updateValue([$0], for: 0xFFA1)) }
        stage.advance(0)
        #expect(sent.allSatisfy { $0.times.isEmpty })
        stage.advance(1_000)
        #expect(sent.map(\.elements) == [[true], [true], [true]])
        #expect(Set(sent.compactMap(\.times.first)).count == 3)
        #expect(central.updates.map(\.value) == [[1], [2], [3]])
    }

    @Test(.proves(.S97)) func `An indication that no central confirms times out, and the next one follows`() {
        let stage = Stage(starting: false)
        let daemon = ScriptedDaemon(on: stage, .adapter)
        let published = stage.record(
            stage.manager.publish([
                LocalService(0xFFA0, characteristics: [LocalCharacteristic(0xFFA1, .indicate)])
            ]))
        stage.advance(1)
        let call = daemon.take("RegisterApplication")
        guard let client = call.call?.message.sender, let bluez = daemon.connection else { return }
        call.reply()
        stage.advance(1)
        func ask(_ member: String) {
            let question = try? Message.call(
                to: client, path: "/rxbluetooth/application1/service0/characteristic0",
                interface: "org.bluez.GattCharacteristic1", member: member)
            if let question { bluez.call(question, timeout: .seconds(5)) { _ in } }
            stage.advance(1)
        }
        let values = LineRecorder()
        let rule = MatchRule(sender: client, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged")
        let signals = bluez.subscribe(rule) { signal in
            let content = try? signal.read { (body) throws(DBusError) in try body.values() }
            values.note(content.map { "\($0)".contains("bytes([7])") ? "7" : "8" } ?? "")
        }
        stage.advance(1)
        ask("StartNotify")
        let first = stage.record(published.elements[0].updateValue([7], for: 0xFFA1))
        let second = stage.record(published.elements[0].updateValue([8], for: 0xFFA1))
        stage.advance(29_999)
        #expect(first.isLive && values.lines == ["7"])
        stage.advance(1)
        #expect(first.kind == .timedOut && first.error?.operation == .publish)
        #expect(values.lines == ["7", "8"])
        ask("Confirm")
        #expect(second.elements == [true])
        ask("Confirm")
        let third = stage.record(published.elements[0].updateValue([7], for: 0xFFA1))
        let fourth = stage.record(published.elements[0].updateValue([7], for: 0xFFA1))
        fourth.dispose()
        stage.advance(1)
        ask("StopNotify")
        #expect(third.elements == [false])
        stage.advance(1)
        #expect(values.lines == ["7", "8", "7"])
        signals.cancel()
        published.dispose()
        stage.advance(0)
        daemon.take("UnregisterApplication").reply()
        stage.advance(0)
        stage.expectNoTimers()
    }

    @Test(.proves(.S97)) func `A full buffer drops the oldest or newest value, or fails`() {
        for (overflow, results): (ValueBuffer.Overflow, [[Bool]]) in [
            (.dropOldest, [[true], [false], [true]]), (.dropNewest, [[true], [true], [false]]),
            (.fail, [[true], [true], []]),
        ] {
            let (stage, central, published) = published(
                LocalCharacteristic(0xFFA1, .indicate, buffer: ValueBuffer(capacity: 1, overflow: overflow)))
            central.subscribe(to: "ffa1", indications: true)
            stage.advance(1_000)
            let sent = (1...3).map { stage.record(published.elements[0].updateValue([$0], for: 0xFFA1)) }
            stage.advance(1_000)
            #expect(sent.map(\.elements) == results)
            #expect((sent[2].kind == .overflow) == (overflow == .fail))
            #expect(published.isLive)
        }
    }

    @Test(.proves(.S97)) func `Updates that overflow a failing buffer end the published services`() {
        let (stage, central, published) = published(
            LocalCharacteristic(
                0xFFA1, .indicate, buffer: ValueBuffer(capacity: 1, overflow: .fail),
                updates: .from([[1], [2], [3]])))
        central.subscribe(to: "ffa1", indications: true)
        stage.advance(1_000)
        #expect(published.kind == .overflow && published.error?.target == "FFA1")
        #expect(stage.count("UnregisterApplication") == 1)
    }

    @Test(.proves(.S97)) func `Values that cannot be sent fail, and leave the services published`() {
        let (stage, _, published) = published(
            LocalCharacteristic(0xFFA1, [.read, .notify]), LocalCharacteristic(0xFFA2, .read))
        let services = published.elements[0]
        let long = stage.record(services.updateValue([UInt8](repeating: 0, count: 513), for: 0xFFA1))
        let silent = stage.record(services.updateValue([1], for: 0xFFA2))
        let elsewhere = stage.record(services.updateValue([1], for: 0xFFA1, of: 0xFFB0))
        stage.advance(10)
        #expect(long.kind == .invalidArgument)
        #expect(silent.kind == .attributeNotFound && elsewhere.kind == .attributeNotFound)
        #expect(published.isLive)
    }

    @Test(.proves(.S101)) func `A thousand centrals that subscribe and vanish leave no subscription behind`() {
        let (stage, central, published) = published(LocalCharacteristic(0xFFA1, .notify, updates: .never()))
        let state = stage.record(published.elements[0].observeIsSubscribed(0xFFA1))
        for _ in 0..<1_000 {
            central.connect()
            central.subscribe(to: "ffa1")
            stage.advance(40)
            central.disconnect()
            stage.advance(1)
        }
        stage.advance(1_000)
        #expect(state.elements.last == false)
        let sent = stage.record(published.elements[0].updateValue([1], for: 0xFFA1))
        stage.advance(10)
        #expect(sent.elements == [false])
        stage.passTemporaryTimeout()
        stage.expectNoTimers()
    }
}
