import RxBluetooth
import TestTraits
import Testing

extension LabTests {
    /// Services of this computer on the real bluetoothd. `Lab/peripherals.py` describes the central that uses them.
    @Suite struct PublishTests {
        @Test(.proves(.S93, .S95, .S96, .S97, .S98, .S102, .Q115, .Q116))
        func `A central reads, writes and subscribes to a published service`() async throws {
            try await Lab.withManager { manager in
                let long = (0..<250).map { UInt8($0) }
                let written = ReplaySubject<[UInt8]>.createUnbounded()
                let ticks = { (first: UInt8) in
                    Observable<Int>.interval(.milliseconds(50), scheduler: Lab.clock).map { [first + UInt8($0 % 4)] }
                }
                let service = LocalService(
                    0xFFA0,
                    characteristics: [
                        LocalCharacteristic(0xFFA1, .read, onRead: { _ in .just(Array(long.prefix(190))) }),
                        LocalCharacteristic(
                            0xFFA2, .write,
                            onWrite: { request in
                                if request.value == [0xFF] { return .error(ATTError.application(0x85)) }
                                written.onNext(request.value)
                                return .empty()
                            }),
                        LocalCharacteristic(0xFFA3, .notify, updates: ticks(0x10).take(3)),
                        LocalCharacteristic(0xFFA4, .indicate, updates: ticks(0x20).take(2)),
                    ])
                let advertisement = Advertisement(services: [0xFFA0], isConnectable: true)
                let subscriptions = manager.publish([service]).flatMapLatest { published in
                    Observable.merge(
                        manager.advertise(advertisement).flatMap { _ in Observable<String>.empty() },
                        published.observeOnSubscribe().map { "+\($0.characteristic)" },
                        published.observeOnUnsubscribe().map { "-\($0.characteristic)" })
                }
                let lines = try await Observable.merge(written.map { "\($0)" }, subscriptions).take(7).allValues()
                #expect(
                    lines.filter { $0.hasPrefix("[") } == [
                        "\(Array(long.prefix(190).reversed()))", "[16, 17, 18, 32, 33]", "[238, 133]",
                    ])
                #expect(Set(lines.filter { !$0.hasPrefix("[") }) == ["+FFA3", "+FFA4", "-FFA3", "-FFA4"])
            }
        }
    }
}
