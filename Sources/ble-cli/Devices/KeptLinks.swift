import Rx
import RxBluetooth

/// The links that commands with --keep have left open.
///
/// On the bus, a link that was kept looks like one that bluetoothd is closing for an earlier command.
protocol KeptLinks: Sendable {
    func contains(_ link: LinkKey) -> Bool
    func insert(_ link: LinkKey)
    func remove(_ link: LinkKey)
}

/// The adapter and the device of a link.
struct LinkKey: Hashable, Sendable {
    let adapter: String
    let address: BluetoothAddress

    init(adapter: String, address: BluetoothAddress) {
        self.adapter = adapter
        self.address = address
    }

    init(_ peripheral: Peripheral) {
        self.init(adapter: peripheral.adapterName ?? "", address: peripheral.address)
    }
}

/// The links of this process, for a simulation that ends with it.
final class MemoryKeptLinks: KeptLinks {
    private let links = Guarded<Set<LinkKey>>([])

    func contains(_ link: LinkKey) -> Bool { links.withLock { $0.contains(link) } }
    func insert(_ link: LinkKey) { links.withLock { _ = $0.insert(link) } }
    func remove(_ link: LinkKey) { links.withLock { _ = $0.remove(link) } }
}
