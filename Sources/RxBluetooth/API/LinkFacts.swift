public import Rx

/// A fact about a link: its value, or the reason why it is not known.
public enum LinkFact<Value: Hashable & Sendable>: Hashable, Sendable {
    /// The value.
    case known(Value)
    /// The fact is not known. The text is the reason, a phrase without a full stop.
    case unknown(because: String)

    /// The value; nil if it is not known.
    public var value: Value? { if case .known(let value) = self { value } else { nil } }
}

extension LinkFact: CustomStringConvertible {
    /// The value, or “unknown, because” and the reason.
    public var description: String {
        switch self {
        case .known(let value): "\(value)"
        case .unknown(let reason): "unknown, because \(reason)"
        }
    }
}

/// The physical layer of one direction of a link.
///
/// Source: Core Specification 5.4, Vol 4, Part E, 7.8.47.
public enum LinkPHY: UInt8, Hashable, Sendable {
    /// LE 1M: one megabit per second.
    case oneMegabit = 1
    /// LE 2M: two megabits per second.
    case twoMegabits = 2
    /// LE Coded: longer range, 125 or 500 kilobits per second.
    case coded = 3
}

/// The physical layers of both directions of a link.
public struct LinkPHYs: Hashable, Sendable {
    /// From this computer to the peripheral.
    public let transmit: LinkPHY
    /// From the peripheral to this computer.
    public let receive: LinkPHY

    /// Makes a pair of physical layers.
    public init(transmit: LinkPHY, receive: LinkPHY) {
        self.transmit = transmit
        self.receive = receive
    }
}

/// The role of this computer in a link.
public enum LinkRole: String, Hashable, Sendable {
    /// This computer has made the link, and determines its timing.
    case central
    /// The other device has made the link.
    case peripheral
}

/// The facts about a link as far as the kernel lets this process read them.
///
/// With Linux 6.1 and BlueZ 5.66, the role and the RSSI need no privilege, and the PHY needs CAP_NET_RAW. No program
/// can read the interval, the latency and the time-out of a link that exists. A ``HostController`` can provide more.
public struct LinkFacts: Hashable, Sendable {
    /// The time between two connection events, from 7.5 ms to 4 s.
    public var interval: LinkFact<Duration>
    /// The number of connection events that the peripheral may skip, from 0 to 499.
    public var latency: LinkFact<Int>
    /// The time without contact after which the link is lost, from 100 ms to 32 s.
    public var supervisionTimeout: LinkFact<Duration>
    /// The physical layers.
    public var phy: LinkFact<LinkPHYs>
    /// The role of this computer.
    public var role: LinkFact<LinkRole>
    /// The RSSI in dBm, from −127 to 20.
    public var rssi: LinkFact<Int>

    /// Makes facts that are all unknown for one reason. Set what is known.
    public init(unknownBecause reason: String) {
        interval = .unknown(because: reason)
        latency = .unknown(because: reason)
        supervisionTimeout = .unknown(because: reason)
        phy = .unknown(because: reason)
        role = .unknown(because: reason)
        rssi = .unknown(because: reason)
    }
}

/// The timing that a link is to have.
///
/// Short intervals make transfers faster and cost power on both sides. Source: Core Specification 5.4, Vol 3, Part A,
/// 4.20.
public struct ConnectionParameters: Hashable, Sendable {
    /// The shortest time between two connection events, from 7.5 ms to 4 s.
    public var minimumInterval: Duration
    /// The longest time between two connection events, not below ``minimumInterval``.
    public var maximumInterval: Duration
    /// The number of connection events that the peripheral may skip, from 0 to 499.
    public var latency: Int
    /// The time without contact after which the link is lost, from 100 ms to 32 s.
    ///
    /// It must be longer than `2 * (1 + latency) * maximumInterval`.
    public var supervisionTimeout: Duration

    /// Makes parameters.
    ///
    /// The kernel gets the intervals in steps of 1.25 ms, and the time-out in steps of 10 ms.
    public init(
        minimumInterval: Duration, maximumInterval: Duration, latency: Int = 0,
        supervisionTimeout: Duration = .seconds(4)
    ) {
        self.minimumInterval = minimumInterval
        self.maximumInterval = maximumInterval
        self.latency = latency
        self.supervisionTimeout = supervisionTimeout
    }

    /// For transfers: an interval of 7.5 to 15 ms.
    public static let fast = ConnectionParameters(
        minimumInterval: .microseconds(7_500), maximumInterval: .milliseconds(15))
    /// For ordinary use: an interval of 30 to 50 ms.
    public static let balanced = ConnectionParameters(
        minimumInterval: .milliseconds(30), maximumInterval: .milliseconds(50))
    /// To save power: an interval of 100 to 125 ms, two of them skipped, and a time-out of 6 s.
    public static let lowPower = ConnectionParameters(
        minimumInterval: .milliseconds(100), maximumInterval: .milliseconds(125), latency: 2,
        supervisionTimeout: .seconds(6))

    /// Why the parameters are invalid; nil if they are valid.
    var flaw: String? {
        let intervals = Duration.microseconds(7_500) ... .seconds(4)
        if !intervals.contains(minimumInterval) || !intervals.contains(maximumInterval) {
            return "An interval is from 7.5 ms to 4 s"
        }
        if minimumInterval > maximumInterval { return "minimumInterval must not be longer than maximumInterval" }
        if !(0...499).contains(latency) { return "The latency is from 0 to 499" }
        if !(Duration.milliseconds(100) ... .seconds(32)).contains(supervisionTimeout) {
            return "supervisionTimeout is from 100 ms to 32 s"
        }
        let needed = maximumInterval * (2 * (1 + latency))
        return supervisionTimeout > needed
            ? nil : "supervisionTimeout must be longer than 2 * (1 + latency) * maximumInterval"
    }
}

extension Peripheral {
    // Promise S118, see docs/promises.md.
    /// Reads what is known about the link: timing, PHY, role and RSSI.
    ///
    /// Emits one value. A fact that this process may not read, or that the kernel does not report, is
    /// ``LinkFact/unknown(because:)`` with the reason; it is not an error. Nothing is sent to the peripheral. Cold.
    /// Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    /// - ``BluetoothError/Kind/timedOut`` if the controller does not answer within ``Deadlines/rssi``.
    public func readLinkFacts() -> Single<LinkFacts> {
        stream { [self] client, emitter in
            emitter.attempt(.readLink, address.description) { () throws(BluetoothError) in
                try client.links.live(key).readFacts(emitter)
            }
        }
        .asSingle()
    }

    /// Requests another timing for the links to the peripheral.
    ///
    /// Completes when the kernel has stored the parameters. From Linux 6.11 on, the kernel also changes the present
    /// link; earlier versions use the parameters from the next link on. The peripheral may later request other ones.
    /// The kernel has one list of parameters for each adapter, and older kernels drop the entries of devices that do
    /// not connect automatically. Cold; disposing does not undo the request. Delivers on the manager's queue.
    ///
    /// Fails with:
    /// - ``BluetoothError/Kind/unauthorized`` if this process does not have CAP_NET_ADMIN.
    /// - ``BluetoothError/Kind/invalidArgument`` before anything is sent, if the parameters contradict the Core
    ///   Specification.
    /// - ``BluetoothError/Kind/unsupported`` if the controller or the kernel does not support it, or the manager was
    ///   made without a ``HostController``.
    /// - ``BluetoothError/Kind/notConnected`` without a connection, and the error of the connection when it ends.
    /// - ``BluetoothError/Kind/timedOut`` if the kernel does not answer within ``Deadlines/rssi``.
    ///
    /// Source: BlueZ, `mgmt-api.txt`, Load Connection Parameters Command.
    public func requestConnectionParameters(_ parameters: ConnectionParameters) -> Completable {
        stream { [self] (client, emitter: Emitter<Never>) in
            emitter.attempt(.updateLink, address.description) { () throws(BluetoothError) in
                if let flaw = parameters.flaw { throw BluetoothError(.invalidArgument, detail: flaw) }
                try client.links.live(key).request(parameters, emitter)
            }
        }
        .asCompletable()
    }
}
