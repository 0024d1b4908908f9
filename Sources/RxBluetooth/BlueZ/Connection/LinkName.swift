/// The name of a connected device. bluetoothd reports a change after it has read the name from the device.
final class LinkName {
    private unowned let link: Link
    private let observers = EmitterList<String?>()
    private var last: String??

    init(_ link: Link) { self.link = link }

    /// Emits the current name, then each change.
    func observe(_ emitter: Emitter<String?>) {
        if observers.isEmpty { last = .some(link.peripheral.name) }
        observers.insert(emitter)
        link.streams.add(emitter, during: .readState, "the name of \(link.target)") { [weak self] _ in
            self?.observers.remove(emitter)
        }
        emitter.next(link.peripheral.name)
    }

    func changed() {
        let name = link.peripheral.name
        guard last != .some(name) else { return }
        last = .some(name)
        observers.next(name)
    }
}
