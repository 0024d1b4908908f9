internal import CDBus

/// libdbus's watches: one for reading and one for writing on one socket, which is one to the poller.
extension Core {
    func addWatches(to connection: OpaquePointer) -> Bool {
        let data = unsafe retained()
        let isDone =
            unsafe dbus_connection_set_watch_functions(
                connection,
                { watch, data in
                    guard let watch = unsafe watch, let core = unsafe Core.borrowed(data) else { return 0 }
                    unsafe core.watches.append(DBusWatch(watch))
                    core.updateSource()
                    return 1
                },
                { watch, data in
                    guard let watch = unsafe watch, let core = unsafe Core.borrowed(data) else { return }
                    let gone = unsafe DBusWatch(watch)
                    core.watches.removeAll { $0 == gone }
                    core.updateSource()
                },
                { _, data in unsafe Core.borrowed(data)?.updateSource() },
                data, Core.release) != 0
        if !isDone { unsafe Core.release(data) }
        return isDone
    }

    /// What libdbus wants to know of its socket now.
    private func updateSource() {
        wire = Poller.Source()
        for watch in watches where watch.isEnabled {
            wire.descriptor = watch.descriptor
            wire.events |= watch.events
        }
    }

    /// Hands on what happened at the socket. A watch may go while another is handled.
    func handleWatches(_ events: Int16) {
        for watch in watches where watches.contains(watch) && watch.isEnabled { watch.handle(events) }
    }

    // libdbus holds the core by what it got here, once for each set of callbacks, until it frees them with the connection.

    func retained() -> UnsafeMutableRawPointer { unsafe Unmanaged.passRetained(self).toOpaque() }

    static func borrowed(_ data: UnsafeMutableRawPointer?) -> Core? {
        guard let data = unsafe data else { return nil }
        return unsafe Unmanaged<Core>.fromOpaque(data).takeUnretainedValue()
    }

    static let release: DBusFreeFunction = { data in
        if let data = unsafe data { unsafe Unmanaged<Core>.fromOpaque(data).release() }
    }
}
