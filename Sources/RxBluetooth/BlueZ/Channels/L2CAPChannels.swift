import DBus

/// The L2CAP channels and listeners of a manager.
final class L2CAPChannels {
    private unowned let client: BlueZClient
    private var listeners: [ListeningSocket] = []

    init(_ client: BlueZClient) { self.client = client }

    // MARK: Opening

    func open(
        _ psm: UInt16, _ options: L2CAPChannelOptions, _ peripheral: Peripheral, _ emitter: Emitter<L2CAPChannel>
    ) throws(BluetoothError) {
        try check(psm, options)
        let link = try client.links.live(peripheral.key)
        let sockets = try socketsOfManager()
        let device = client.mirror.devices[link.key]
        // The kernel uses the present address, which may differ from the one in the path after bonding (Q62).
        let socket = try ChannelSocket(
            try sockets.connect(
                request(
                    psm, options, on: link.key.adapter, peer: device?.address ?? link.key.address,
                    peerKind: device?.addressKind ?? .public)),
            to: link.key, psm: psm, client, sockets)
        let target = ChannelSocket.target(psm, peripheral.address)
        link.streams.add(emitter, during: .openChannel, target) { cause in
            if let cause { socket.lost(cause) } else { socket.dispose() }
        }
        socket.opened = { [weak socket, weak client] parameters in
            guard let socket, let client else { return }
            emitter.next(
                L2CAPChannel(
                    peripheral, psm: psm, parameters, capacity: options.buffer, socket: client.bus.confined(socket)))
        }
        socket.ended = { error in
            if let error { emitter.fail(error.during(.openChannel, target)) } else { emitter.complete() }
        }
        socket.start()
    }

    // MARK: Listening

    func listen(
        _ psm: UInt16?, _ options: L2CAPChannelOptions, on adapter: UInt16, _ emitter: Emitter<L2CAPListener>
    ) throws(BluetoothError) {
        if let psm { try check(psm, options) } else { try check(Self.firstDynamicPSM, options) }
        let sockets = try socketsOfManager()
        guard let access = client.access else { throw BluetoothError(.closed) }
        let (number, bound) = try sockets.listen(request(psm ?? 0, options, on: adapter, peer: nil, peerKind: .public))
        let listener = ListeningSocket(number, psm: bound, options, on: adapter, client, sockets, emitter)
        listeners.append(listener)
        emitter.onEnd { [weak self] in
            self?.listeners.removeAll { $0 === listener }
            listener.close()
        }
        emitter.next(L2CAPListener(bound, access, client.bus.confined(listener)))
    }

    /// Fails the listeners on adapters that cannot be used any more. A restart of bluetoothd does not affect sockets.
    func adaptersChanged() {
        for listener in listeners {
            guard let obstacle = client.obstacle(on: listener.adapter), obstacle.kind != .daemonUnavailable else {
                continue
            }
            listener.fail(obstacle)
        }
    }

    /// Fails all listeners, because the manager is closed.
    func fail(_ error: BluetoothError) {
        for listener in listeners { listener.fail(error) }
    }

    // MARK: Requests

    private static let firstDynamicPSM: UInt16 = 0x80
    /// The PSM of LE channels. Source: Core Specification 5.4, Vol 3, Part A, 4.22.
    private static let validPSM: ClosedRange<UInt16> = 0x01...0xFF
    private static let validMTU = 23...65_535

    private func check(_ psm: UInt16, _ options: L2CAPChannelOptions) throws(BluetoothError) {
        guard Self.validPSM.contains(psm) else {
            throw BluetoothError(.invalidArgument, detail: "A PSM is a number from 1 to 255")
        }
        guard options.receiveMTU.map(Self.validMTU.contains) != false else {
            throw BluetoothError(.invalidArgument, detail: "L2CAPChannelOptions.receiveMTU must be 23 to 65535")
        }
    }

    private func socketsOfManager() throws(BluetoothError) -> any L2CAPSockets {
        guard let sockets = client.settings.channels else {
            throw BluetoothError(.unsupported, detail: "The manager was made without L2CAPSockets")
        }
        return sockets
    }

    private func request(
        _ psm: UInt16, _ options: L2CAPChannelOptions, on adapter: UInt16, peer: BluetoothAddress?,
        peerKind: BluetoothAddress.Kind
    ) -> L2CAPRequest {
        L2CAPRequest(
            psm: psm, adapter: "hci\(adapter)", adapterAddress: client.mirror.adapters[adapter]?.address, peer: peer,
            peerKind: peerKind, security: options.security, receiveMTU: options.receiveMTU)
    }
}
