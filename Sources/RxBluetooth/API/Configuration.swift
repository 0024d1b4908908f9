public import Logging

/// Which adapter to work with. A gateway may have several.
public enum AdapterSelection: Hashable, Sendable {
    /// The best: one that can be a central; of these one that is on; of these one over which the fewest devices are connected, by
    /// whomever; of these the one with the lowest number (Q27). Once chosen it is kept for as long as it is there and on, or
    /// no other is on, so that what goes on over it is not disturbed.
    case automatic
    /// The one with this name, for example `hci1`, when it is first there. Names may change when adapters are plugged in anew, so it
    /// is known by its address from then on (Q28); while it is away, another that has the name will do.
    case named(String)
    /// The one with this address, whatever its name.
    case address(BluetoothAddress)

    /// The one with this number, as ``named(_:)`` has it: 1 for `hci1`.
    public static func number(_ number: Int) -> AdapterSelection { .named("hci\(number)") }
}

/// How long this module waits for an answer before it fails with ``BluetoothError/Kind/timedOut``.
///
/// Time runs on the clock of the bus: the kernel's monotonic clock, which stands still while the computer is suspended, or in tests a
/// virtual one. Setting the wall clock changes nothing. A deadline of zero or less is over at once, and one too long to count never ends.
public struct Deadlines: Sendable {
    /// For a connection to come about. Default 30 s.
    public var connect: Duration = .seconds(30)
    /// For the services to be read after connecting. Default 30 s.
    public var services: Duration = .seconds(30)
    /// For a read, a write, or turning notifications on, from the moment it is its turn. Default 30 s, as ATT has it.
    public var operation: Duration = .seconds(30)
    /// For a pairing, from the moment it is its turn, with the connection that it may need and the time that a person
    /// takes to answer. Default 90 s.
    public var pair: Duration = .seconds(90)
    /// For a connection to end. Default 5 s.
    public var disconnect: Duration = .seconds(5)
    /// For the adapter to turn out to be the reason why a link was lost: so long a loss that could be due to it is held back,
    /// and told as ``BluetoothError/DisconnectReason/adapter`` if the adapter goes off meanwhile. Default 0.25 s.
    ///
    /// The kernel drops the links of an adapter that is switched off first and says so last; with one link it was seen to take
    /// 0.07 s between (Q32). Zero tells a loss at once, and then such a one has no reason, or a wrong one.
    public var disconnectReasonGrace: Duration = .milliseconds(250)
    /// For the controller to tell how strong a link is. Default 5 s.
    public var rssi: Duration = .seconds(5)
    /// For a scan to start. Default 15 s.
    public var startScan: Duration = .seconds(15)
    /// For a scan to stop. Default 5 s.
    public var stopScan: Duration = .seconds(5)
    /// For the first list of what bluetoothd has. Default 8 s. After it ``BluetoothManager/state`` is
    /// ``BluetoothState/daemonUnavailable`` until the list comes, however late; bluetoothd is asked again meanwhile.
    public var snapshot: Duration = .seconds(8)
    /// For a diagnosis, after which it tells what it has found out. Default 2 s.
    public var diagnosis: Duration = .seconds(2)
    /// For what is only tidying up. Default 2 s.
    public var cleanup: Duration = .seconds(2)

    /// The defaults.
    public init() {}
}

/// The logger of managers that were given none: it says nothing.
public let silentLogger = Logger(label: "RxBluetooth") { _ in SwiftLogNoOpLogHandler() }
