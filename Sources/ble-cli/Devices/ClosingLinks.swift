import FoundationEssentials
import Rx
import RxBluetooth

/// The links that commands are closing.
///
/// A command ends before bluetoothd has closed its link, which takes about 2 s. On the bus, such a link looks like the
/// link of another program.
protocol ClosingLinks: Sendable {
    /// Returns when a command began to close a link, in seconds since 1970; nil if none has.
    func time(of link: LinkKey) -> Double?
    func insert(_ link: LinkKey, at now: RxTime)
    func remove(_ link: LinkKey)
}

extension ClosingLinks {
    /// Returns since when a command is closing a link, in seconds; nil if none is.
    func age(of link: LinkKey, at now: RxTime) -> Double? {
        guard let time = time(of: link) else { return nil }
        let age = abs(now.timeIntervalSince1970 - time)
        return age < ClosingLinkWait.longestClosing ? age : nil
    }

    /// Returns whether a command is closing a link.
    func contains(_ link: LinkKey, at now: RxTime) -> Bool { age(of: link, at: now) != nil }
}

/// The links that this process closes, for a simulation that ends with it.
final class MemoryClosingLinks: ClosingLinks {
    private let links = Guarded<[LinkKey: RxTime]>([:])

    func time(of link: LinkKey) -> Double? { links.withLock { $0[link]?.timeIntervalSince1970 } }
    func insert(_ link: LinkKey, at now: RxTime) { links.withLock { $0[link] = now } }
    func remove(_ link: LinkKey) { links.withLock { $0[link] = nil } }
}

/// How a command uses a link that an earlier command is closing.
///
/// bluetoothd closes a link 2 s after `Disconnect`, and executes operations until then.
final class LinkJoining: Sendable {
    /// The most seconds since the earlier command began to close the link. An older link is not used.
    let longestAge: Double
    /// Whether the work may start again over another link if this one ends meanwhile.
    let mayStartAgain: @Sendable () -> Bool
    private let state = Guarded(false)

    init(upTo longestAge: Double = .infinity, mayStartAgain: @escaping @Sendable () -> Bool) {
        self.longestAge = longestAge
        self.mayStartAgain = mayStartAgain
    }

    /// Whether the command uses such a link.
    var isJoined: Bool { state.withLock(\.self) }
    func join() { state.withLock { $0 = true } }
}

/// Waits until bluetoothd has closed the link of an earlier command.
///
/// If this command shared such a link, the link would soon be lost. Only a command that can start again joins it. Each
/// command records the links that it closes, so the link of another program, and a link that a command with --keep has
/// left open, are shared at once.
struct ClosingLinkWait {
    let context: CommandContext

    /// The seconds after which a recorded link counts as another one, because closing never takes that long.
    static let longestClosing = 10.0

    /// A device, and whether it is connected by another program or by a command with --keep.
    typealias Ready = (peripheral: Peripheral, isShared: Bool)

    /// Emits the peripheral when no command is closing a link to it.
    ///
    /// - Parameter joining: How the command joins the link that is being closed; nil to wait instead.
    func waitUntilClosed(_ peripheral: Peripheral, joining: LinkJoining? = nil) -> Observable<Ready> {
        let key = LinkKey(peripheral)
        return context.manager.retrieveConnectedPeripherals().asObservable().flatMap { connected -> Observable<Ready> in
            guard connected.contains(peripheral) else {
                // A kept or closed link is down, and the next link is another one.
                context.keptLinks.remove(key)
                context.closingLinks.remove(key)
                return .just((peripheral, false))
            }
            guard let age = context.closingLinks.age(of: key, at: context.scheduler.now) else {
                return .just((peripheral, true))
            }
            if let joining, age <= joining.longestAge {
                joining.join()
                return .just((peripheral, true))
            }
            let closed = peripheral.isConnectedInBlueZ.filter { !$0 }.map { _ in () }
            let expired = context.timer(.seconds(Self.longestClosing - age)).map { _ in () }
            return Observable.merge(closed, expired).take(1).flatMap { waitUntilClosed(peripheral) }
        }
    }

    /// Records that a command closes its link.
    func begin(_ peripheral: Peripheral) { context.closingLinks.insert(LinkKey(peripheral), at: context.scheduler.now) }
}
