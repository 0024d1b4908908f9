import RxBluetooth

/// Keeps sensors connected, and reports their temperatures and which of them are near.
///
/// A gateway takes a manager and a scheduler, so that a test can pass simulated ones.
public struct Gateway: Sendable {
    let manager: BluetoothManager
    let scheduler: any SchedulerType

    public init(manager: BluetoothManager, scheduler: any SchedulerType = MainScheduler.instance) {
        self.manager = manager
        self.scheduler = scheduler
    }

    public enum Report: Equatable, Sendable {
        case bluetooth(BluetoothState)
        case near(BluetoothAddress)
        case away(BluetoothAddress)
        case temperature(BluetoothAddress, Double)
        /// A problem that reconnecting does not solve. The gateway tries again after five seconds.
        case problem(BluetoothAddress, String)
    }

    /// Reports until the subscription is disposed of. Lost links and restarts of bluetoothd do not end the stream.
    public func reports(of sensors: [BluetoothAddress]) -> Observable<Report> {
        let states = manager.state.map { Report.bluetooth($0) }
        return Observable.merge([states, presence(of: Set(sensors))] + sensors.map { temperatures(of: $0) })
    }

    private func presence(of sensors: Set<BluetoothAddress>) -> Observable<Report> {
        manager.observePresence(
            options: ScanOptions(resumes: true),
            presence: PresenceOptions(silence: .seconds(30), includesConnected: true)
        )
        .compactMap { change in
            switch change {
            case .found(let scanned):
                sensors.contains(scanned.peripheral.address) ? .near(scanned.peripheral.address) : nil
            case .lost(let peripheral): sensors.contains(peripheral.address) ? .away(peripheral.address) : nil
            }
        }
    }

    private func temperatures(of sensor: BluetoothAddress) -> Observable<Report> {
        let options = ScanOptions(resumes: true, filters: [ScanFilter(address: sensor)])
        let values = manager.scanForPeripherals(options: options)
            .take(1)
            .flatMap { $0.peripheral.connect(options: .reconnect()) }
            .flatMap { $0.observe(Temperature.self) }
            .compactMap { value in value.celsius.map { Report.temperature(sensor, $0) } }
        return
            values
            .catch { error in Observable.just(.problem(sensor, "\(error)")).concat(Observable.error(error)) }
            .retry { errors in errors.delay(.seconds(5), scheduler: scheduler) }
    }
}

extension Gateway.Report: CustomStringConvertible {
    public var description: String {
        switch self {
        case .bluetooth(let state): "Bluetooth is \(state)"
        case .near(let sensor): "\(sensor) is near"
        case .away(let sensor): "\(sensor) is away"
        case .temperature(let sensor, let celsius): "\(sensor) \(celsius) °C"
        case .problem(let sensor, let text): "\(sensor) \(text)"
        }
    }
}
