import DBus
import Rx

/// Who is there: notices who is heard, and who has not been heard for a while (S21).
final class Presence: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    private let bus: any Bus
    private let silence: Duration
    private let emitter: Emitter<PresenceChange>
    /// Those who are there, with what waits for their silence.
    private var present: [Peripheral: BusTask] = [:]

    init(_ bus: any Bus, silence: Duration, _ emitter: Emitter<PresenceChange>) {
        self.bus = bus
        self.silence = silence
        self.emitter = emitter
    }

    /// Where a scan that tells each advertisement is to tell it.
    func listener() -> Emitter<ScannedPeripheral> {
        let listener = Emitter(AnyObserver<ScannedPeripheral> { [self] in heard($0) })
        emitter.onEnd { [self] in
            listener.dispose()
            for task in present.values { task.cancel() }
            present = [:]
        }
        return listener
    }

    private func heard(_ event: Event<ScannedPeripheral>) {
        switch event {
        case .next(let scanned):
            let peripheral = scanned.peripheral
            let task = bus.schedule(after: silence) { [weak self] in self?.lost(peripheral) }
            if let last = present.updateValue(task, forKey: peripheral) {
                last.cancel()
            } else {
                emitter.next(.found(scanned))
            }
        case .error(let error):
            // While nothing is heard nobody is known to be there.
            for peripheral in present.keys.sorted(by: { $0.address < $1.address }) { lost(peripheral) }
            emitter.fail(error as? BluetoothError ?? BluetoothError(.closed))
        case .completed: emitter.complete()
        }
    }

    private func lost(_ peripheral: Peripheral) {
        guard let task = present.removeValue(forKey: peripheral) else { return }
        task.cancel()
        emitter.next(.lost(peripheral))
    }
}
