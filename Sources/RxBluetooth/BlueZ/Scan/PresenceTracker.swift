import DBus
import Rx

/// Tracks which peripherals are present: those that advertised recently, and connected ones (S21).
final class PresenceTracker {
    private let bus: BusContext
    private let mirror: ObjectMirror
    private let options: PresenceOptions
    private let emitter: Emitter<PresenceChange>
    private var present: [DeviceKey: PresentPeripheral] = [:]

    private struct PresentPeripheral {
        let peripheral: Peripheral
        /// The timer after which the peripheral counts as absent; nil while its connection keeps it present.
        var silence: BusTask?
    }

    init(_ client: BlueZClient, _ options: PresenceOptions, _ emitter: Emitter<PresenceChange>) {
        bus = client.bus
        mirror = client.mirror
        self.options = options
        self.emitter = emitter
    }

    /// Returns the observer for the scan. Each advertisement marks its peripheral as present.
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
            // Without a scan, presence is unknown, so all peripherals are reported as lost before the error.
            for key in present.keys.sorted(by: { $0.address < $1.address }) { lost(key) }
            emitter.fail(error as? BluetoothError ?? BluetoothError(.closed))
        case .completed: emitter.complete()
        }
    }

    /// Whether presence depends on connections.
    var needsConnections: Bool { options.includesConnected }

    /// Returns whether a peripheral that was not found yet counts as found because it is connected.
    func isFound(byLink key: DeviceKey) -> Bool {
        options.includesConnected && present[key] == nil && mirror.devices[key]?.isConnected == true
    }

    /// Records that a peripheral is present: it has advertised, or it is connected.
    func found(_ scanned: ScannedPeripheral) {
        let key = scanned.peripheral.key
        let last = present.updateValue(
            PresentPeripheral(peripheral: scanned.peripheral, silence: silence(of: key)), forKey: key)
        last?.silence?.cancel()
        if last == nil { emitter.next(.found(scanned)) }
    }

    /// Updates the timer of a peripheral after its connection was made or lost, or its device removed.
    func connectionChanged(_ key: DeviceKey) {
        guard options.includesConnected, let entry = present[key] else { return }
        let isConnected = mirror.devices[key]?.isConnected == true
        guard isConnected == (entry.silence != nil) else { return }
        entry.silence?.cancel()
        present[key]?.silence = silence(of: key)
    }

    /// Starts the timer after which a peripheral counts as absent; nil if its connection keeps it present.
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
