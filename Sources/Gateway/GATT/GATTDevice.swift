import Rx
import RxBluetooth

/// A device of the configuration with its link, jobs and running command. It belongs to the loop.
final class GATTDevice {
    var settings: DeviceSettings
    var jobs: GATTJobs
    /// The subscription of the present attempt or link.
    let connection = SerialDisposable()
    /// The peripheral while there is a link.
    var peripheral: Peripheral?
    var run: CommandRun?
    /// Whether the link is closed when the running command has ended.
    var isClosing = false
    /// Whether a command found out that the link has ended, before the stream of the connection fails.
    var isLinkLost = false
    var lastHeard: Duration?
    /// The address with which the device was last heard. A private address changes from time to time.
    var presentAddress: BluetoothAddress
    /// Whether the address is public or random, if the device was heard.
    var kind: BluetoothAddress.Kind?
    /// The deadlines of the commands that wait or run, by their identifiers.
    var deadlines: [String: any Disposable] = [:]
    var state = GATTLinkState.disconnected
    /// The failures since the last link.
    var failures = 0

    init(_ settings: DeviceSettings, jobs: GATTJobs) {
        self.settings = settings
        presentAddress = settings.address
        self.jobs = jobs
    }

    /// The kind of the address. Without an advertisement, it is guessed: static random addresses begin with two ones.
    var likelyKind: BluetoothAddress.Kind { kind ?? (settings.address.number >> 46 == 3 ? .random : .public) }
}
