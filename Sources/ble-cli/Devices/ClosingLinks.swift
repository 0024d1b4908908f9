import FoundationEssentials
import Rx
import RxBluetooth

/// The links that commands are closing.
///
/// A command ends before bluetoothd has closed its link, which takes about 2 s. On the bus, such a link looks like the
/// link of another program.
protocol ClosingLinks: Sendable {
    /// Returns whether a command is closing a link.
    func contains(_ link: LinkKey, at now: RxTime) -> Bool
    func insert(_ link: LinkKey, at now: RxTime)
    func remove(_ link: LinkKey)
}

/// The links that this process closes, for a simulation that ends with it.
final class MemoryClosingLinks: ClosingLinks {
    private let links = Guarded<[LinkKey: RxTime]>([:])

    func contains(_ link: LinkKey, at now: RxTime) -> Bool {
        links.withLock { links in
            links[link].map { now.timeIntervalSince($0) < ClosingLinkWait.longestClosing } == true
        }
    }

    func insert(_ link: LinkKey, at now: RxTime) { links.withLock { $0[link] = now } }
    func remove(_ link: LinkKey) { links.withLock { $0[link] = nil } }
}

/// Whether a command uses a link that an earlier command is closing.
final class JoinedLink: Sendable {
    private let state = Guarded(false)

    var isJoined: Bool { state.withLock(\.self) }
    func set() { state.withLock { $0 = true } }
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
    private static let pause = Duration.milliseconds(100)

    /// A device, and whether it is connected by another program or by a command with --keep.
    typealias Ready = (peripheral: Peripheral, isShared: Bool)

    /// Emits the peripheral when no command is closing a link to it.
    ///
    /// - Parameter joined: Set if the command joins the link that is being closed; nil to wait instead.
    func waitUntilClosed(_ peripheral: Peripheral, joined: JoinedLink? = nil) -> Observable<Ready> {
        let key = LinkKey(peripheral)
        return context.manager.retrieveConnectedPeripherals().asObservable().flatMap { connected -> Observable<Ready> in
            guard connected.contains(peripheral) else {
                // A kept or closed link is down, and the next link is another one.
                context.keptLinks.remove(key)
                context.closingLinks.remove(key)
                return .just((peripheral, false))
            }
            guard context.closingLinks.contains(key, at: context.scheduler.now) else {
                return .just((peripheral, true))
            }
            if let joined {
                joined.set()
                return .just((peripheral, true))
            }
            return context.timer(Self.pause).flatMap { _ in waitUntilClosed(peripheral) }
        }
    }

    /// Records that a command closes its link.
    func begin(_ peripheral: Peripheral) { context.closingLinks.insert(LinkKey(peripheral), at: context.scheduler.now) }
}
