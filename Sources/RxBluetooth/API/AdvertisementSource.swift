/// Where a scan receives advertisements from.
///
/// In each case, bluetoothd starts and stops the discovery, and its objects are the peripherals. The management socket
/// of the kernel sends each received packet to this process directly, with its complete data, see
/// ``AdvertisementData/rawData``. It needs the capability CAP_NET_ADMIN, for example as root, or by
/// `AmbientCapabilities=CAP_NET_ADMIN` in the unit of a service. ``BluetoothManager/diagnose()`` reports the source of
/// a scan, and the reason.
public enum ScanSource: String, Hashable, Sendable {
    /// The management socket if it can be used, otherwise D-Bus.
    ///
    /// If the socket fails, the scan continues over D-Bus.
    case automatic
    /// The signals of bluetoothd.
    case dbus
    /// The management socket only.
    ///
    /// Without CAP_NET_ADMIN, the scan fails with ``BluetoothError/Kind/unauthorized``. It fails with
    /// ``BluetoothError/Kind/unsupported`` if the kernel has no Bluetooth or hides it from this process, or if the
    /// manager has no ``AdvertisementSource``. If the socket fails later, the scan fails with
    /// ``BluetoothError/Kind/bluez``; a scan with ``ScanOptions/resumes`` then opens the socket again.
    case management
}

/// A source of advertisements besides bluetoothd: the kernel's socket, or a simulation of it.
///
/// By default, a manager on the system bus uses the kernel of this machine, and a manager on a given bus has no such
/// source. Tests can implement this protocol, for example with the sockets of a simulation.
public protocol AdvertisementSource: Sendable {
    /// Opens a socket that receives the events of the management interface, one in each packet.
    ///
    /// Called on the thread of the bus when a scan begins, so the implementation must not block. The library closes the
    /// socket when the last scan that uses it ends. It reads the events Device Found and ignores the others.
    ///
    /// Source: BlueZ, `mgmt-api.txt`.
    ///
    /// - Returns: The number of the file descriptor, which belongs to the library from then on.
    /// - Throws: The reason why the source cannot be used, usually ``BluetoothError/Kind/unauthorized`` or
    ///   ``BluetoothError/Kind/unsupported``.
    func open() throws(BluetoothError) -> Int32
}
