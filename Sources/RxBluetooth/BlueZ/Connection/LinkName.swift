/// The name of a connected device.
///
/// bluetoothd reports a change after it has read the name from the device.
final class LinkName {
    private let peripheral: Peripheral
    private let streams: LinkStreams
    private let observers = EmitterList<String?>()
    private var last: String??

    init(_ link: Link) {
        peripheral = link.peripheral
        streams = link.streams
    }

    /// Emits the current name, then each change.
    func observe(_ emitter: Emitter<String?>) {
        if observers.isEmpty { last = .some(peripheral.name) }
        observers.insert(emitter)
        streams.add(emitter, during: .readState, "the name of \(peripheral.address)") { [weak self] _ in
            self?.observers.remove(emitter)
        }
        emitter.next(peripheral.name)
    }

    func changed() {
        let name = peripheral.name
        guard last != .some(name) else { return }
        last = .some(name)
        observers.next(name)
    }
}
