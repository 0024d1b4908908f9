import BusTesting
import DBus
import Foundation
import Rx
import RxBluetooth
import RxBluetoothMocks
import Testing

/// A simulated bluetoothd with two adapters, and a service that this library has published with the second one.
///
/// The first adapter, which other programs use, shows the service as that of a remote device. BlueZ has objects only
/// for the services of remote devices, so no program can use a service over the adapter with which it is published.
final class PublishedSimulation: SimulatedSystemBus {
    static let address = "C0:FF:EE:00:00:A0"

    private let daemon: DBusDaemon
    private let served: ServedSimulation
    private let manager: BluetoothManager
    private let subscription: any Disposable
    private let values = Values()
    let bus: String

    /// The values that clients have written to FFA1, in order.
    var written: [[UInt8]] { values.all.withLock { $0 } }

    private final class Values: Sendable {
        let all = Guarded<[[UInt8]]>([])
    }

    init() async throws {
        daemon = try DBusDaemon()
        bus = daemon.address
        let served = ServedSimulation(
            Scenario(
                adapters: [
                    SimulatedAdapter(), SimulatedAdapter(address: "00:1A:7D:DA:71:02", name: "publishing"),
                ], peripherals: []), address: bus)
        self.served = served
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<ServingError?, Never>) in
            let isReady = Guarded(false)
            let finish: @Sendable (ServingError?) -> Void = { error in
                let isFirst = isReady.withLock { isReady in
                    defer { isReady = true }
                    return !isReady
                }
                if isFirst { continuation.resume(returning: error) }
            }
            served.start(ready: { finish(nil) }, over: { finish($0) })
        }
        if let error { throw error }
        let address = bus
        manager = BluetoothManager(
            configuration: .init(adapter: .number(1)), bus: Connection.open(.address(address)))
        let published = ReplaySubject<PublishedServices>.create(bufferSize: 1)
        subscription = manager.publish([Self.service(values)]).subscribe(published)
        _ = try await published.take(1).timeout(.seconds(120), scheduler: Self.clock).asSingle().value
        served.bluez.showPublishedServices(as: Self.address, adapter: 1)
    }

    deinit {
        subscription.dispose()
        served.stop()
    }

    private static let clock = SerialDispatchQueueScheduler(qos: .default)

    /// FFA1 returns the value last written and refuses FF with the error 85; FFA2 counts five times a second.
    private static func service(_ values: Values) -> LocalService {
        LocalService(
            0xFFA0,
            characteristics: [
                LocalCharacteristic(
                    0xFFA1, [.read, .write],
                    onRead: { _ in .just(values.all.withLock { $0.last ?? [1, 2, 3] }) },
                    onWrite: { request in
                        if request.value == [0xFF] { return .error(ATTError.application(0x85)) }
                        values.all.withLock { $0.append(request.value) }
                        return .empty()
                    }),
                LocalCharacteristic(
                    0xFFA2, .notify,
                    updates: Observable<Int>.interval(.milliseconds(200), scheduler: clock)
                        .map { [UInt8(truncatingIfNeeded: $0)] }),
            ])
    }
}
