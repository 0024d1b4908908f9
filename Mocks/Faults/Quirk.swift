/// What BlueZ, D-Bus and the kernel do to clients now and then, by the numbers of this project's list of quirks. Each is a
/// switch: ``Scenario/quirks`` has those that are to show. What the simulation always does needs none; the article
/// <doc:Quirks> has all numbers.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum Quirk: Int, CaseIterable, Hashable, Sendable {
    /// The daemon dies as a device is connected for the first time, and is back 2 s later.
    case Q2 = 2
    /// `Connect` is answered 30 s late: libdbus would give up after 25 s.
    case Q7 = 7
    /// The first write is carried out and never answered.
    case Q8 = 8
    /// With more than 128 calls of one client unanswered, each further one fails as dbus-daemon fails it.
    case Q9 = 9
    /// The bus's policy refuses all calls.
    case Q15 = 15
    /// A stranger says in signals of his own that each device is connected.
    case Q17 = 17
    /// A device that was removed changes once more.
    case Q19 = 19
    /// Properties are missing that older daemons lack.
    case Q20 = 20
    /// The first write of a property of an adapter fails, for it is busy.
    case Q22 = 22
    /// The adapters appear 5 s after the daemon.
    case Q26 = 26
    /// The first adapter is `hci1`; there is no `hci0`.
    case Q27 = 27
    /// With the first `Connect` the adapter is unplugged, and is back 1 s later under the next free number.
    case Q28 = 28
    /// The adapters are blocked by rfkill from the start.
    case Q30 = 30
    /// The power goes in the middle of the first `Connect`.
    case Q32 = 32
    /// The adapter hangs: each `StartDiscovery` fails with `InProgress`.
    case Q33 = 33
    /// The first three `StartDiscovery` fail with `InProgress`, though nothing is in progress.
    case Q38 = 38
    /// Another client scans from the start, with a filter of its own.
    case Q40 = 40
    /// `Discovering` turns false and true again 10 s into each scan, which goes on.
    case Q41 = 41
    /// 20 s into each scan no device is reported any more, though all says that it goes on.
    case Q42 = 42
    /// Another client removes a device 1 s after each `Connect`.
    case Q61 = 61
    /// Random addresses that are not static change every 15 minutes, for a day.
    case Q62 = 62
    /// What cannot be connected is taken for scan responses alone, and so never becomes a device; monitors see it.
    case Q63 = 63
    /// While the radio scans, each connection takes 3 s longer.
    case Q64 = 64
    /// Wireless LAN next to it costs the radio half of the advertisements.
    case Q65 = 65
    /// The controller passes on only 70 of 100 advertisements.
    case Q66 = 66
    /// `ServicesResolved` turns true 50 ms before the objects of the services appear.
    case Q72 = 72
    /// `ServicesResolved` never turns true.
    case Q73 = 73
    /// Another client disconnects a device 1 s after each `Connect`.
    case Q74 = 74
    /// The first two `Connect` fail with `InProgress`.
    case Q76 = 76
    /// The first two attempts at each peripheral end with `le-connection-abort-by-local`.
    case Q77 = 77
    /// `Connected` flickers while `Connect` is under way.
    case Q78 = 78
    /// Five links are all that the controller has.
    case Q81 = 81
    /// The first `Connect` is tried over BR/EDR and runs into the page timeout.
    case Q83 = 83
    /// A bonded or trusted device is connected again by itself after its link was lost.
    case Q85 = 85
    /// Daemons from 5.83 on: a signal `Disconnected` tells why a link ended.
    case Q86 = 86
    /// Each link drops 50 ms after it came up, as where the peripheral has lost its bond.
    case Q87 = 87
    /// `Pair` fails, for there is a bond already.
    case Q89 = 89
    /// The first read and the first write fail with `InProgress`.
    case Q94 = 94
    /// Characteristics have no `MTU`.
    case Q101 = 101
    /// `StartNotify` is answered 1.5 s late, after the first notifications.
    case Q102 = 102
    /// The first read fails with a plain `Failed`, “Not connected”.
    case Q112 = 112
    /// A device is removed 50 ms into its first `Connect`, which is then never answered.
    case Q123 = 123
}
