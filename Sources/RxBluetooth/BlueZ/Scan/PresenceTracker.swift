import DBus
import Rx

/// Tracks which peripherals are present: those that advertised a short time ago, and connected ones (S21).
final class PresenceTracker {
    private let bus: BusContext
    private let mirror: ObjectMirror
    private let options: PresenceOptions
    private let emitter: Emitter<PresenceChange>
    private var present: [DeviceKey: PresentPeripheral] = [:]

    private struct PresentPeripheral {
        let peripheral: Peripheral
        /// The timer until the peripheral counts as absent; nil while it is connected and need not advertise.
        var silence: BusTask?
    }

    init(_ client: BlueZClient, _ options: PresenceOptions, _ emitter: Emitter<PresenceChange>) {
        bus = client.bus
        mirror = client.mirror
        self.options = options
        self.emitter = emitter
    }

    /// The observer of the scan that supplies the advertisements.
    func listener() -> Emitter<ScannedPeripheral> {
        let listener = Emitter<ScannedPeripheral> { [self] in received($0) }
        emitter.onEnd { [self] in
            listener.dispose()
            for entry in present.values { entry.silence?.cancel() }
            present = [:]
        }
        return listener
    }

    private func received(_ event: Event<ScannedPeripheral>) {
        switch event {
        case .next(let scanned): found(scanned)
        case .error(let error):
            // Without a scan, no peripheral is known to be present.
            for key in present.keys.sorted(by: { $0.address < $1.address }) { lost(key) }
            emitter.fail(error as? BluetoothError ?? BluetoothError(.closed))
        case .completed: emitter.complete()
        }
    }

    /// Whether a peripheral is present because of its connection, and was not found before.
    func isFound(byLink key: DeviceKey) -> Bool {
        options.includesConnected && present[key] == nil && mirror.devices[key]?.isConnected == true
    }

    /// A peripheral is present: it has advertised, or it is connected.
    func found(_ scanned: ScannedPeripheral) {
        let key = scanned.peripheral.key
        let last = present.updateValue(
            PresentPeripheral(peripheral: scanned.peripheral, silence: silence(of: key)), forKey: key)
        last?.silence?.cancel()
        if last == nil { emitter.next(.found(scanned)) }
    }

    /// A connection was made or lost, or bluetoothd removed the device.
    func connectionChanged(_ key: DeviceKey) {
        guard options.includesConnected, let entry = present[key] else { return }
        let isConnected = mirror.devices[key]?.isConnected == true
        guard isConnected == (entry.silence != nil) else { return }
        entry.silence?.cancel()
        present[key]?.silence = silence(of: key)
    }

    /// Starts the timer until a peripheral counts as absent; nil if it is connected.
    private func silence(of key: DeviceKey) -> BusTask? {
        if options.includesConnected, mirror.devices[key]?.isConnected == true { return nil }
        return bus.schedule(after: options.silence) { [weak self] in self?.lost(key) }
    }

    private func lost(_ key: DeviceKey) {
        guard let entry = present.removeValue(forKey: key) else { return }
        entry.silence?.cancel()
        emitter.next(.lost(entry.peripheral))
    }
}
