/// Optional misbehavior of BlueZ, D-Bus or the kernel, by its number in this project's list of quirks.
///
/// ``Scenario/quirks`` turns quirks on. <doc:Quirks> lists all numbers, including those that the simulation always has.
// swift-format-ignore: AlwaysUseLowerCamelCase
public enum Quirk: Int, CaseIterable, Hashable, Sendable {
    /// The daemon crashes at the first `Connect` and restarts 2 s later.
    case Q2 = 2
    /// `Connect` is answered after 30 s. The default timeout of libdbus is 25 s.
    case Q7 = 7
    /// The first write is executed but never answered.
    case Q8 = 8
    /// If a client has more than 128 unanswered calls, its further calls fail with dbus-daemon's error.
    case Q9 = 9
    /// The bus's policy rejects all calls.
    case Q15 = 15
    /// When a device appears, another connection sends a forged signal that the device is connected.
    case Q17 = 17
    /// After a device is removed, the daemon sends one more `PropertiesChanged` of the device.
    case Q19 = 19
    /// Properties that older daemons do not have are missing.
    case Q20 = 20
    /// The first write of an adapter's property fails because the adapter is busy.
    case Q22 = 22
    /// The adapters appear 5 s after the daemon.
    case Q26 = 26
    /// The first adapter is `hci1`. There is no `hci0`.
    case Q27 = 27
    /// The first `Connect` unplugs the adapter. The adapter returns 1 s later under the next free number.
    case Q28 = 28
    /// rfkill blocks the adapters from the start.
    case Q30 = 30
    /// The adapter loses power during the first `Connect`.
    case Q32 = 32
    /// The adapter hangs: every `StartDiscovery` fails with `InProgress`.
    case Q33 = 33
    /// The first three calls of `StartDiscovery` fail with `InProgress`, although nothing is in progress.
    case Q38 = 38
    /// Another client scans from the start, with its own filter.
    case Q40 = 40
    /// `Discovering` turns false and true again 10 s into each scan, although the scan continues.
    case Q41 = 41
    /// Reports stop 20 s into each scan, although `Discovering` stays true.
    case Q42 = 42
    /// Another client removes a device 1 s after each `Connect`.
    case Q61 = 61
    /// Private addresses change every 15 minutes, for one day.
    case Q62 = 62
    /// Non-connectable packets count as scan responses and never create a device. Monitors receive them.
    case Q63 = 63
    /// While the radio scans, each connection takes 3 s longer.
    case Q64 = 64
    /// Nearby Wi-Fi destroys half of the advertisements.
    case Q65 = 65
    /// The controller reports only 70 of 100 advertisements.
    case Q66 = 66
    /// `ServicesResolved` turns true 50 ms before the GATT objects appear.
    case Q72 = 72
    /// `ServicesResolved` never turns true.
    case Q73 = 73
    /// Another client disconnects a device 1 s after each `Connect`.
    case Q74 = 74
    /// The first two calls of `Connect` fail with `InProgress`.
    case Q76 = 76
    /// The first two connection attempts to each peripheral fail with `le-connection-abort-by-local`.
    case Q77 = 77
    /// `Connected` turns true and false again while `Connect` is pending.
    case Q78 = 78
    /// The controller supports only five links.
    case Q81 = 81
    /// The first `Connect` uses BR/EDR and fails with the page timeout.
    case Q83 = 83
    /// bluetoothd reconnects bonded or trusted devices by itself after a lost link.
    case Q85 = 85
    /// Each link ends 50 ms after it was established, as if the peripheral had lost its bond.
    case Q87 = 87
    /// `Pair` fails because a bond already exists.
    case Q89 = 89
    /// The first read and the first write fail with `InProgress`.
    case Q94 = 94
    /// Characteristics have no `MTU`.
    case Q101 = 101
    /// `StartNotify` is answered 1.5 s late, after the first notifications.
    case Q102 = 102
    /// The first read fails with `Failed` and the text "Not connected".
    case Q112 = 112
    /// A device is removed 50 ms into its first `Connect`, which is never answered.
    case Q123 = 123
    /// A GATT operation that waits for encryption is never answered if the link ends, and its attribute stays busy.
    ///
    /// Default: on from 5.67. Later operations on the attribute fail with `InProgress` until the device is removed.
    case Q126 = 126
    /// The daemon crashes when a discovery filter has UUIDs and an advertisement with services arrives.
    ///
    /// Default: on with 5.87. The daemon restarts 2 s later.
    case Q127 = 127
    /// After a refused `AcquireNotify`, the daemon crashes at `StopNotify`, and when the device is removed.
    ///
    /// Default: on with 5.66 and 5.82. The daemon restarts 2 s later.
    case Q132 = 132
    /// A pairing is kept when its link ends: `Pair` is not answered, and `Connect` fails with `InProgress`.
    ///
    /// Default: on with 5.87. It ends with `CancelPairing`, or when the device is removed.
    case Q136 = 136
    /// `RemoveDevice` keeps a device after a link that was lost while its known services were read again.
    ///
    /// Default: on from 5.82. The call succeeds. The next one removes the device, or else the end of the next link.
    case Q138 = 138
}
