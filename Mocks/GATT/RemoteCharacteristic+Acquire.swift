import DBus

/// What of a characteristic was handed out as a socket.
final class Acquisition {
    /// The call, until the services are resolved and the socket can be made.
    var call: IncomingCall?
    var socket: AcquiredSocket?
    var isOpen = false
    /// The how-manieth of its link it is.
    let number: Int
    /// For notifications: the peripheral's switch is on.
    var isArmed = false

    init(_ call: IncomingCall, of link: DaemonLink) {
        self.call = call
        link.acquisitions += 1
        number = link.acquisitions
    }
}

/// Sockets instead of calls and signals. Source: BlueZ 5.66, src/gatt-client.c.
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
        if notifications != nil { throw BlueZError.notPermitted("Notify acquired") }
        // Somebody's session by signals is in the way, whoever's it is.
        if !notifySessions.sessions.isEmpty { throw BlueZError.inProgress }
        guard server.has("notify") else { throw BlueZError.notSupported }
        let acquisition = Acquisition(call, of: link)
        notifications = acquisition
        if isSwitchedOn { return notificationsAreOn(acquisition) }
        link.request(needing: server.protection) {
            .accepted
        } _: { [weak self] outcome in
            // Where the peripheral refuses, bluetoothd never answers, and takes it for acquired ever after.
            if case .accepted = outcome { self?.notificationsAreOn(acquisition) }
        }
    }

    private func notificationsAreOn(_ acquisition: Acquisition) {
        guard notifications === acquisition else { return }
        acquisition.isArmed = true
        startClock()
        openSockets()
    }

    /// Makes the sockets that wait, once the services are known.
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

    /// What a client sends, over either socket. Above the link's limit it is dropped without a word (Q100).
    private func take(_ packet: [UInt8]) {
        guard let link = device.link, packet.count <= Int(link.mtu) - 3, link.protection >= server.protection else {
            return
        }
        server.take(packet)
    }

    /// What was handed out, each with what closes it.
    var acquisitions: [(number: Int, close: () -> Void)] {
        [writing, notifications].compactMap(\.self).map { acquisition in
            (acquisition.number, { [self] in close(acquisition) })
        }
    }

    /// bluetoothd's loop tells it of its sockets before it takes the next message, so one that closes its end and then
    /// calls finds the characteristic given back.
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
