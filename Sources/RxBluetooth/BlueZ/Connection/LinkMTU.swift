import DBus

/// The MTU of a link: the size of the largest ATT packet.
///
/// bluetoothd reports the MTU with each characteristic.
final class LinkMTU {
    private unowned let link: Link
    private var value: UInt16?
    private let observers = EmitterList<Int>()
    /// The streams that wait until bluetoothd has reported the MTU.
    private let readers = EmitterList<Int>()
    private var wasRead = false
    private var isReading = false

    init(_ link: Link) { self.link = link }

    /// Stores and emits the MTU, which is the same for all characteristics of a link.
    func received(_ mtu: UInt16) {
        guard mtu >= UInt16(Peripheral.smallestMTU), mtu != value, link.isConnected || link.state.isConnecting else {
            return
        }
        let isChanged = Int(mtu) != current
        value = mtu
        link.peripheral.update(mtu: Int(mtu))
        finishReaders()
        guard isChanged else { return }
        observers.next(Int(mtu))
    }

    /// Reads the MTU from bluetoothd after the services have been read.
    ///
    /// Characteristics that existed before the link do not signal their MTU (Q101).
    func read() {
        guard value == nil, !wasRead,
            let (service, record) = link.client.mirror.devices[link.key]?.services.min(by: { $0.key < $1.key }),
            let handle = record.characteristics.keys.min()
        else { return }
        (wasRead, isReading) = (true, true)
        let key = CharacteristicKey(device: link.key, service: service, handle: handle)
        link.client.call(
            .property("MTU", of: BlueZ.characteristic, at: key.path), deadline: link.deadlines.cleanup
        ) { [weak self] result in
            let mtu = try? result.get().read { (body) throws(DBusError) in
                try body.variant { (value) throws(DBusError) in try value.uint16() }
            }
            guard let self else { return }
            isReading = false
            // bluetoothd before 5.62 returns an error. The MTU then keeps its smallest value, which is correct.
            if let mtu { received(mtu) }
            finishReaders()
        }
    }

    /// Emits the MTU once, as soon as bluetoothd has reported it, or the present one after a time limit.
    ///
    /// bluetoothd reports it after it has read the services, and before 5.62 never.
    func read(_ emitter: Emitter<Int>, within limit: Duration?) {
        if value != nil { return emitter.finish(current) }
        readers.insert(emitter)
        let timer = limit.map { limit in
            link.client.bus.schedule(after: limit) { [weak self] in
                emitter.finish(self?.current ?? Peripheral.smallestMTU)
            }
        }
        var stopWaiting: (() -> Void)?
        link.streams.add(emitter, during: .readState, "the MTU of \(link.target)") { [weak self] _ in
            timer?.cancel()
            stopWaiting?()
            self?.readers.remove(emitter)
        }
        stopWaiting = link.serviceDiscovery.wait { [weak self] error in
            if let error { return emitter.fail(error.during(.readState, nil)) }
            guard let self else { return }
            read()
            if !isReading { emitter.finish(current) }
        }
    }

    private func finishReaders() {
        for reader in readers.removeAll() { reader.finish(current) }
    }

    func observe(_ emitter: Emitter<Int>) {
        observers.insert(emitter)
        link.streams.add(emitter, during: .readState, "the MTU of \(link.target)") { [weak self] _ in
            self?.observers.remove(emitter)
        }
        emitter.next(current)
    }

    private var current: Int { value.map(Int.init) ?? Peripheral.smallestMTU }

    /// Clears the MTU, because the link has ended.
    func forget() {
        value = nil
        link.peripheral.update(mtu: nil)
    }
}
