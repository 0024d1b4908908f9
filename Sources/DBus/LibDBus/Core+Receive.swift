internal import CDBus

/// What comes in. libdbus hands every message to one filter, in the order of the wire.
extension Core {
    func addFilter(to connection: OpaquePointer) -> Bool {
        let data = unsafe retained()
        let isDone =
            unsafe dbus_connection_add_filter(
                connection,
                { _, raw, data in
                    guard let raw = unsafe raw, let core = unsafe Core.borrowed(data) else {
                        return DBUS_HANDLER_RESULT_NOT_YET_HANDLED
                    }
                    unsafe core.receive(raw)
                    return DBUS_HANDLER_RESULT_HANDLED
                },
                data, Core.release) != 0
        if !isDone { unsafe Core.release(data) }
        return isDone
    }

    /// A message of an unknown kind is ignored, as the specification asks. Pings never come here: libdbus answers them.
    private func receive(_ raw: OpaquePointer) {
        switch unsafe Message.Kind(rawValue: dbus_message_get_type(raw)) {
        case .signal: unsafe receiveSignal(raw)
        case .reply, .error: unsafe receiveReply(Message(referring: raw))
        case .call: unsafe serve(Message(referring: raw))
        case nil: break
        }
    }

    private func receiveSignal(_ raw: OpaquePointer) {
        // libdbus's own last word. Nobody can send it: the interface is reserved, and refused on the wire.
        if unsafe dbus_message_is_signal(raw, "org.freedesktop.DBus.Local", "Disconnected") != 0 {
            return hungUp()
        }
        guard !subscriptions.isEmpty else { return }
        unsafe reusable.exchange(dbus_message_ref(raw))
        deliver(reusable)
        if isKnownUniquelyReferenced(&reusable) {
            unsafe reusable.exchange(dbus_message_ref(empty.raw))
        } else {
            // Somebody keeps it; the next signal gets an object of its own.
            reusable = empty.retainedCopy()
        }
    }
}
