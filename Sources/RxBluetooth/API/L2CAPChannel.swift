public import Rx

/// An open L2CAP connection-oriented channel to a device.
///
/// The channel transports packets (SDU) in both directions without loss and in order. Both sides grant credits, so a
/// slow receiver slows the sender down. For large transfers, a channel has less overhead than
/// GATT. Source: Core Specification 5.4, Vol 3, Part A, 10.1.
public final class L2CAPChannel: Sendable {
    /// The device at the other end.
    public let peripheral: Peripheral
    /// The PSM of the channel.
    public let psm: UInt16
    /// The sizes of packets.
    public let parameters: L2CAPParameters
    /// How many received packets wait for one subscriber before the channel stops receiving.
    let capacity: Int
    private let socket: Confined<ChannelSocket>

    init(
        _ peripheral: Peripheral, psm: UInt16, _ parameters: L2CAPParameters, capacity: Int,
        socket: Confined<ChannelSocket>
    ) {
        self.peripheral = peripheral
        self.psm = psm
        self.parameters = parameters
        self.capacity = capacity
        self.socket = socket
    }

    /// The largest packet that can be sent, in bytes.
    public var mtu: Int { parameters.mtu }

    // Promise S115, see docs/promises.md.
    /// The packets that the device sends.
    ///
    /// Emits each packet once to each subscriber, and completes when either side closes the channel. Hot: packets that
    /// arrive while there is no subscriber wait in the kernel, and then go to the first one. No packet is lost: if
    /// ``L2CAPChannelOptions/buffer`` packets wait for a subscriber, the channel stops receiving, and the device stops
    /// sending when its credits are used up. Delivers on the manager's queue.
    ///
    /// Fails with the error of the connection when the link is lost, and with ``BluetoothError/Kind/channelClosed`` if
    /// the channel was closed before the subscription.
    public var received: Observable<[UInt8]> {
        Observable.deferred { [self] in
            let window = ReceiveWindow(capacity)
            return perform(.receiveData) { $0.receive($1, within: window) }
                .do(afterNext: { _ in window.consumed() })
        }
    }

    // Promise S115, see docs/promises.md.
    /// Sends data as one packet.
    ///
    /// Completes when the kernel has taken the packet. While the kernel has no room, because the device grants no
    /// credits, packets wait in the order of their subscriptions. Cold: each subscription sends once, and disposing
    /// removes a packet that still waits. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/invalidArgument`` for an empty packet and for more than ``mtu`` bytes.
    /// - ``BluetoothError/Kind/channelClosed`` if the channel is closed by either side.
    /// - The error of the connection when the link is lost.
    public func send(_ packet: [UInt8]) -> Completable {
        let limit = mtu
        return perform(.sendData) { socket, emitter in
            guard (1...limit).contains(packet.count) else {
                return emitter.fail(
                    BluetoothError(
                        .invalidArgument,
                        detail: "The packet has \(packet.count) bytes, and the channel takes 1 to \(limit)"))
            }
            socket.send(packet, emitter)
        }
        .asCompletable()
    }

    /// Sends data of any length in packets of ``mtu`` bytes; the last one may be shorter.
    ///
    /// Works like ``send(_:)``, and completes when the kernel has taken the last packet. Empty data completes at once.
    /// Disposing removes the packets that still wait, so the device may have received a part of the data.
    public func write(_ data: [UInt8]) -> Completable {
        perform(.sendData) { socket, emitter in
            if data.isEmpty { emitter.complete() } else { socket.send(data, emitter) }
        }
        .asCompletable()
    }

    /// Closes the channel after everything that was sent has left this machine.
    ///
    /// Packets that arrive during the closing are discarded.
    /// Completes when the channel is closed, and at once if it is closed already. Packets that wait are still sent, and
    /// later ones are refused. If the device takes none of them for ``Deadlines/cleanup``, the channel is closed
    /// without the rest, and their sends fail with ``BluetoothError/Kind/channelClosed``. Never fails. Cold; disposing
    /// does not stop the closing.
    public func close() -> Completable {
        perform(.sendData) { $0.close($1) }.asCompletable()
            .catch { _ in Completable.empty() }
    }

    private func perform<Element: Sendable>(
        _ operation: BluetoothError.Operation,
        _ work: @escaping @Sendable (ChannelSocket, Emitter<Element>) -> Void
    ) -> Observable<Element> {
        let target = ChannelSocket.target(psm, peripheral.address)
        return peripheral.stream { [socket] (client, emitter: Emitter<Element>) in
            guard let socket = socket.value(in: client.bus) else {
                return emitter.fail(BluetoothError(.disconnected(.bus), operation: operation, target: target))
            }
            work(socket, emitter)
        }
        .catch { throw ($0 as? BluetoothError)?.during(operation, target) ?? $0 }
    }
}

/// The options of an L2CAP channel.
public struct L2CAPChannelOptions: Hashable, Sendable {
    /// The security that the link must have. Default: ``L2CAPSecurity/none``.
    public var security: L2CAPSecurity
    /// The largest packet to receive, from 23 to 65535 bytes.
    ///
    /// Default: nil, the default of the kernel (672 bytes).
    public var receiveMTU: Int?
    /// How many received packets wait for a subscriber before the channel stops receiving.
    ///
    /// Default: 64; minimum: 1.
    public var buffer: Int

    /// Creates options. The defaults are those of the properties.
    public init(security: L2CAPSecurity = .none, receiveMTU: Int? = nil, buffer: Int = 64) {
        self.security = security
        self.receiveMTU = receiveMTU
        self.buffer = buffer
    }
}

extension Peripheral {
    // Promise S114, see docs/promises.md.
    /// Opens an L2CAP channel to the connected peripheral.
    ///
    /// Emits the channel once when it is open, and completes when either side has closed it. Cold: subscribing opens
    /// the channel, disposing closes it; what a completed send has handed over still arrives. The manager notices that
    /// the peripheral has closed the channel as soon as ``L2CAPChannel/received`` has a subscriber or data is sent.
    /// Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/channelRefused`` if the peripheral serves no such PSM, has no room, or requires more
    ///   security than the link has. The kernel does not distinguish these reasons.
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if the PSM or
    ///   ``L2CAPChannelOptions/receiveMTU`` is out of range.
    /// - ``BluetoothError/Kind/timedOut`` if the channel is not open within ``Deadlines/openChannel``.
    /// - ``BluetoothError/Kind/unsupported`` if the kernel has no L2CAP, or the manager was made without
    ///   ``L2CAPSockets``.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    ///
    /// Source: Core Specification 5.4, Vol 3, Part A, 4.22.
    ///
    /// - Parameters:
    ///   - psm: The PSM that the peripheral serves, from 1 to 255. Peripherals with a dynamic PSM (from 128 on) usually
    ///     publish it in a characteristic.
    ///   - options: The security, the largest packet and the buffer. Default: see ``L2CAPChannelOptions``.
    public func openL2CAPChannel(
        psm: UInt16, options: L2CAPChannelOptions = L2CAPChannelOptions()
    ) -> Observable<L2CAPChannel> {
        let target = ChannelSocket.target(psm, address)
        return stream { [self] client, emitter in
            emitter.attempt(.openChannel, target) { () throws(BluetoothError) in
                try client.channels.open(psm, options, self, emitter)
            }
        }
    }
}

/// A PSM of this computer on which devices can open L2CAP channels.
///
/// The object does not keep the manager alive, but the subscription that has emitted it does.
public final class L2CAPListener: Sendable {
    /// The PSM. Devices need to know it, for example from a characteristic.
    public let psm: UInt16
    private let access: AccessReference
    private let socket: Confined<ListeningSocket>

    init(_ psm: UInt16, _ access: BlueZAccess, _ socket: Confined<ListeningSocket>) {
        self.psm = psm
        self.access = AccessReference(access)
        self.socket = socket
    }

    /// The channels that devices open.
    ///
    /// Emits each channel once to each subscriber. Completes when the subscription of
    /// ``BluetoothManager/publishL2CAPChannel(psm:options:)`` ends. Hot: while there is no subscriber, attempts wait in
    /// the kernel, which holds up to eight of them. Channels stay open until either side closes them or the
    /// subscription of `publishL2CAPChannel` ends. Delivers on the manager's queue.
    public var channels: Observable<L2CAPChannel> {
        access.stream { [socket] (client, emitter: Emitter<L2CAPChannel>) in
            guard let socket = socket.value(in: client.bus) else { return emitter.fail(BluetoothError(.closed)) }
            socket.add(emitter)
        }
    }
}

extension BluetoothManager {
    // Promise S116, see docs/promises.md.
    /// Lets devices open L2CAP channels to this computer.
    ///
    /// Emits the listener once, and does not complete. Cold: subscribing listens; disposing stops, and closes all
    /// channels of the listener. A device needs a link first, for example as a central that connects to an
    /// advertisement, see ``advertise(_:)``. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/registrationFailed(_:)`` if the PSM is in use, or all dynamic PSM are.
    /// - ``BluetoothError/Kind/unauthorized`` for a PSM below 128 without the capability CAP_NET_BIND_SERVICE.
    /// - ``BluetoothError/Kind/invalidArgument`` if the PSM or ``L2CAPChannelOptions/receiveMTU`` is out of range.
    /// - ``BluetoothError/Kind/unsupported`` if the kernel has no L2CAP, or the manager was made without
    ///   ``L2CAPSockets``.
    /// - ``BluetoothError/Kind/poweredOff`` or a similar error if the adapter cannot be used, also later.
    ///
    /// - Parameters:
    ///   - psm: The PSM, from 1 to 255. Default: nil, any free PSM from 128 on.
    ///   - options: The security that devices need, the largest packet and the buffer.
    public func publishL2CAPChannel(
        psm: UInt16? = nil, options: L2CAPChannelOptions = L2CAPChannelOptions()
    ) -> Observable<L2CAPListener> {
        access.operation(.publishChannel, on: psm.map { "PSM \($0)" }) {
            [selection] (client, emitter) throws(BluetoothError) in
            try client.channels.listen(psm, options, on: try client.chooseAdapter(selection), emitter)
        }
    }
}
