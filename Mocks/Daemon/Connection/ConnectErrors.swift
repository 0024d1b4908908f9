import DBus

/// The errors of `Connect`, `ConnectProfile` and `ConnectDevice`, and of an attempt that `Pair` starts.
///
/// Names and texts are those of BlueZ 5.66 (src/device.c, src/error.c).
enum ConnectError {
    /// The error of `Connect` while another call of `Connect` is pending (Q119).
    static let alreadyConnecting = BlueZError.failed("Operation already in progress")
    /// The error of `Connect` or `Pair` while the adapter is off.
    static let adapterOff = BlueZError.failed("Input/output error")
    /// The peripheral did not answer or refused, or the power went off during the attempt (Q7, Q32, Q77).
    static let abortedByLocal = BlueZError.failed("le-connection-abort-by-local")
    /// `Disconnect` ended the attempt, or the peripheral lost its bond.
    ///
    /// BlueZ writes "br" in the text even if the attempt used LE (Q79, Q87).
    static let canceled = BlueZError.failed("br-connection-canceled")
    /// The connection attempt or the link of a pending `Pair` ended.
    static let pairingAborted = BlueZError.failed("Software caused connection abort")
    /// The controller has no free link (Q81).
    static let tooManyLinks = BlueZError.failed("le-connection-concurrent-connection-limit")
    /// BlueZ tried BR/EDR instead of LE (Q83).
    static let pageTimeout = BlueZError.failed("br-connection-page-timeout")
    /// `ConnectDevice` did not reach the peripheral. BlueZ omits ".Error" from the name, and the text.
    static let deviceNotReached = DBusError(name: "org.bluez.Failed", message: "")

    /// The error of `ConnectProfile` if its argument is no UUID, in newer versions.
    static let profileInvalid = BlueZError.invalidArguments("br-connection-invalid-argument")
    /// The error of `ConnectProfile` while `Connect` is pending.
    static let profileBusy = BlueZError.inProgress("br-connection-busy")
    /// The error of `ConnectDevice` for a connected device, in newer versions.
    static let deviceConnected = BlueZError.failed("Connect failed")

    /// The error of `ConnectProfile` while the adapter is off.
    static let profileAdapterOff = BlueZError.notReady("br-connection-adapter-not-powered")
    /// The error of `ConnectProfile` for an LE device: BlueZ searches over BR/EDR and finds no profile.
    static let profileNotFound = BlueZError.failed("br-connection-sdp-search")
}
