import RxBluetooth
import RxBluetoothMocks
import Testing

/// A battery service: a central reads the level, and receives each change while it is subscribed.
func publishBattery(
    _ levels: BehaviorSubject<[UInt8]>, with manager: BluetoothManager
) -> Observable<PublishedServices> {
    let level = LocalCharacteristic(
        0x2A19, [.read, .notify],
        descriptors: [LocalDescriptor(0x2904, value: [4, 0, 0xAD, 0x27, 1, 0, 0])],
        updates: levels.skip(1),
        onRead: { _ in levels.take(1).asSingle() })
    let service = LocalService(0x180F, characteristics: [level])
    let advertisement = Advertisement(localName: "Gateway", services: [0x180F], isConnectable: true)
    return Observable.merge(
        manager.publish([service]), manager.advertise(advertisement).flatMap { Observable<PublishedServices>.empty() })
}

/// A setting that only encrypted links may write, and that refuses bad values.
func setting(_ changed: @escaping @Sendable ([UInt8]) -> Void) -> LocalCharacteristic {
    LocalCharacteristic(
        "0000ABCD-0000-1000-8000-00805F9B34FB", [.read, .write], security: .encrypted, value: [1],
        onWrite: { request in
            guard request.value.count == 1 else { return .error(ATTError.invalidValueLength) }
            changed(request.value)
            return .empty()
        })
}

/// Answers the requests of centrals one by one, instead of by functions of the description.
func answerRequests(of published: PublishedServices) -> any Disposable {
    let reads = published.observeDidReceiveRead().subscribe(onNext: { request in
        print("read of", request.characteristic, "by", request.central?.address as Any)
        do { try request.respond(with: [42]) } catch { request.respond(withError: .unlikelyError) }
    })
    let writes = published.observeDidReceiveWrite().subscribe(onNext: { request in
        do {
            print("new value", try request.applied(to: [0, 0, 0]), "offset", request.offset)
            try request.respond()
        } catch let error as ATTError {
            request.respond(withError: error)
        } catch {
            request.respond(withError: .unlikelyError)
        }
    })
    return Disposables.create(reads, writes)
}

/// Sends a value to the subscribed centrals, and prints their subscriptions.
func notify(_ value: [UInt8], by published: PublishedServices) -> any Disposable {
    let coming = published.observeOnSubscribe().subscribe(onNext: { print("subscribed to", $0.characteristic) })
    let going = published.observeOnUnsubscribe().subscribe(onNext: { print("unsubscribed from", $0.characteristic) })
    let sending = published.observeIsSubscribed(0x2A1C)
        .filter { $0 }
        .flatMap { _ in published.updateValue(value, for: 0x2A1C, of: 0x1809) }
        .subscribe(onNext: { print("sent:", $0) })
    return CompositeDisposable(coming, going, sending)
}

struct PublishingExampleTests {
    @Test func `A central reads the battery level and receives its changes`() {
        let stage = ExampleStage()
        let levels = BehaviorSubject<[UInt8]>(value: [90])
        let subscription = publishBattery(levels, with: stage.manager).subscribe()
        stage.advance(100)
        let central = stage.simulation.bluez.connectCentral()
        let read = central.read("2a19")
        central.subscribe(to: "2a19")
        stage.advance(1_000)
        levels.onNext([89])
        stage.advance(1_000)
        #expect(read.value == [90])
        #expect(central.updates.map(\.value) == [[89]])
        subscription.dispose()
    }

    @Test func `Requests without functions are answered by a subscriber`() {
        let stage = ExampleStage()
        let measurement = LocalCharacteristic(0x2A1C, [.read, .write, .notify])
        let services = [LocalService(0x1809, characteristics: [measurement, setting { print($0) }])]
        let subscription = stage.manager.publish(services)
            .flatMapLatest { published in
                Observable<Void>.create { _ in
                    Disposables.create(answerRequests(of: published), notify([7], by: published))
                }
            }
            .subscribe()
        stage.advance(100)
        let central = stage.simulation.bluez.connectCentral()
        let read = central.read("2a1c")
        let write = central.write([1, 2], to: "2a1c")
        central.subscribe(to: "2a1c")
        stage.advance(2_000)
        #expect(read.value == [42] && write.error == nil)
        #expect(stage.lines.contains("new value [1, 2] offset 0"))
        #expect(stage.lines.contains("sent: true"))
        #expect(central.updates.map(\.value) == [[7]])
        subscription.dispose()
    }
}
