/// The version of ble-cli and ble-gateway.
package enum ProgramVersion {
    /// The version, for example `0.1.0`. scripts/deb reads this line.
    package static let current = "0.1.0"
}
