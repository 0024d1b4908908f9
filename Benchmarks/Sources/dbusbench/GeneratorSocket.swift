import Glibc
import RxBluetooth

/// The management socket of the generator, which `Benchmarks/dbus` passes to this process as descriptor 200.
struct GeneratorSocket: AdvertisementSource {
    func open() throws(BluetoothError) -> Int32 { fcntl(200, F_DUPFD_CLOEXEC, 0) }
}
