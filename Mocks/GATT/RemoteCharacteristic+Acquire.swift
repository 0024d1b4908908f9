import DBus

/// A socket that a client acquired for a characteristic, or the pending call for a socket.
final class Acquisition {
    /// The pending call; nil once the socket exists.
    var call: IncomingCall?
    var socket: AcquiredSocket?
    var isOpen = false
    /// The acquisition's number on its link, in the order of the calls.
    let number: Int
    /// Whether the peripheral's CCCD is set for this socket; always false for `AcquireWrite`.
    var isArmed = false

    init(_ call: IncomingCall, of link: DaemonLink) {
        self.call = call
        link.acquisitions += 1
        number = link.acquisitions
    }
}

/// `AcquireWrite` and `AcquireNotify`. Source: BlueZ 5.66, src/gatt-client.c.
extension RemoteCharacteristic {
    func acquireWrite(_ call: IncomingCall) throws(DBusError) {
        guard let link = device.link else { throw BlueZError.failed("Not connected") }
        if isReadOnly { throw BlueZError.notAuthorized }
        if writing != nil { throw BlueZError.notPermitted("Write acquired") }
        guard server.has("write-without-response") else { throw BlueZError.notSupported }
        writing = Acquisition(call, of: link)
        openSockets()
    }

    func acquireNotify(_ call: IncomingCall) throws(DBusError) {
        guard let link = device.link else { throw BlueZError.failed("Not connected") }
        if isSubscribingStale { throw BlueZError.inProgress }
        if notifications != nil || isSocketFreed { throw BlueZError.notPermitted("Notify acquired") }
        // While any client has a notify session, AcquireNotify fails.
        if !notifySessions.sessions.isEmpty { throw BlueZError.inProgress }
        guard server.has("notify") else { throw BlueZError.notSupported }
        let acquisition = Acquisition(call, of: link)
        notifications = acquisition
        if isSwitchedOn { return notificationsAreOn(acquisition) }
        link.request(needing: server.protection) {
            .accepted
        } dropped: { [weak self] in
            if self?.notifications === acquisition { self?.isSubscribingStale = true }
        } _: { [weak self] outcome in
            guard let self else { return }
            guard case .error = outcome else { return notificationsAreOn(acquisition) }
            // Versions with the defect never answer, and treat the socket as acquired.
            isSocketFreed = device.adapter.quirks.contains(.Q132)
            if !isSocketFreed {
                if notifications === acquisition { notifications = nil }
                tree.fail(call, outcome.error)
            }
        }
    }

    private func notificationsAreOn(_ acquisition: Acquisition) {
        guard notifications === acquisition else { return }
        acquisition.isArmed = true
        startClock()
        openSockets()
    }

    /// Opens the sockets of pending calls if the services are resolved.
    func openSockets() {
        guard let link = device.link, device.areServicesResolved else { return }
        if let writing, let call = writing.call { open(writing, call, link, "WriteAcquired") }
        if let notifications, notifications.isArmed, let call = notifications.call {
            open(notifications, call, link, "NotifyAcquired")
        }
    }

    private func open(_ acquisition: Acquisition, _ call: IncomingCall, _ link: DaemonLink, _ property: String) {
        acquisition.call = nil
        do throws(DBusError) {
            acquisition.socket = try AcquiredSocket(on: device.loop) { (theirs) throws(DBusError) in
                acquisition.isOpen = true
                changed(property)
                tree.reply(call) { (body) throws(DBusError) in
                    body.descriptor(theirs)
                    body.uint16(link.mtu)
                }
            }
        } catch {
            close(acquisition)
            return tree.fail(call, BlueZError.failed("Too many open files"))
        }
        acquisition.socket?.start { [weak self] in
            self?.take($0)
        } ended: { [weak self] in
            self?.close(acquisition)
        }
    }

    /// Writes a packet from a socket to the peripheral. Packets that exceed the MTU are dropped (Q100).
    private func take(_ packet: [UInt8]) {
        guard let link = device.link, packet.count <= Int(link.mtu) - 3, link.protection >= server.protection else {
            return
        }
        server.take(packet)
    }

    /// The characteristic's acquisitions: the number of each, and a closure that closes it.
    var acquisitions: [(number: Int, close: () -> Void)] {
        [writing, notifications].compactMap(\.self).map { acquisition in
            (acquisition.number, { [self] in close(acquisition) })
        }
    }

    /// The same characteristic, after it has received the waiting packets of its sockets.
    ///
    /// bluetoothd's loop serves sockets before D-Bus messages. So if a client closes its socket and then calls a
    /// method, the socket is already released.
    var afterReceivingPackets: RemoteCharacteristic {
        writing?.socket?.receivePackets()
        notifications?.socket?.receivePackets()
        return self
    }

    func close(_ acquisition: Acquisition) {
        acquisition.socket?.close()
        acquisition.socket = nil
        acquisition.isOpen = false
        if writing === acquisition {
            writing = nil
            changed("WriteAcquired")
        } else if notifications === acquisition {
            notifications = nil
            if !isSwitchedOn { stopClock() }
            changed("NotifyAcquired")
        }
    }
}
