/// The version of a BlueZ release, for example 5.82.
///
/// ``BluetoothManager/daemonVersion`` emits the version of the running bluetoothd. Versions compare by their numbers,
/// so 5.9 is less than 5.66.
public struct BlueZVersion: Comparable, Hashable, Sendable, CustomStringConvertible {
    /// The first number, for example 5.
    public let major: Int
    /// The second number, for example 82.
    public let minor: Int

    /// Makes a version from its numbers.
    public init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// The version as text, for example `5.82`.
    public var description: String { "\(major).\(minor)" }

    public static func < (left: BlueZVersion, right: BlueZVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }
}
