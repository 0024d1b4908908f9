import Glibc

/// The advertisements that the kernel of this machine receives, through its management socket.
package struct KernelAdvertisements: AdvertisementSource {
    /// Makes the source. Opens no socket before ``open()``.
    package init() {}

    /// The source for a manager on the system bus; nil if the environment names another bus.
    ///
    /// The adapters of another bus may be simulated, so the packets of this machine would be those of other devices.
    static var ofSystemBus: KernelAdvertisements? { isSystemBus(busOfEnvironment) ? KernelAdvertisements() : nil }

    /// Returns whether an address is that of the bus of the system; nil stands for this bus.
    static func isSystemBus(_ address: String?) -> Bool { address?.hasSuffix("/system_bus_socket") ?? true }

    /// The address of the bus that the environment names; nil if it names none.
    static var busOfEnvironment: String? {
        // `getenv` returns a C string of the environment, which is copied at once.
        unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS").map { unsafe String(cString: $0) }
    }

    /// Opens a management socket, and checks that the kernel sends advertisements to it.
    ///
    /// The kernel answers the check at once, so this method does not wait.
    package func open() throws(BluetoothError) -> Int32 {
        guard let socket = ManagementSocket() else {
            throw BluetoothError(
                .unsupported, detail: "The kernel has no Bluetooth, or keeps it from this process")
        }
        guard socket.receivesAdvertisements(within: .milliseconds(100)) else {
            throw BluetoothError(.unauthorized, detail: "The kernel's management socket needs CAP_NET_ADMIN")
        }
        return socket.release()
    }
}
