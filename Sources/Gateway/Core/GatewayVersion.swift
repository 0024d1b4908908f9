import RxBluetoothSupport

/// The version of the gateway, which its status and `ble-gateway --version` contain.
public enum GatewayVersion {
    /// The version, for example `0.1.0`.
    public static let current = ProgramVersion.current
}
