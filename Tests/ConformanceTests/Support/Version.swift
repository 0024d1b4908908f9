import DaemonInterfaces
import RxBluetoothMocks

/// A version of BlueZ with the kernel that the lab has for it.
typealias Version = SimulatedBlueZ.Version

extension VersionedText {
    /// The lines of a version.
    func callAsFunction(on version: Version) -> [String] { lines(in: version.rawValue) }
}
