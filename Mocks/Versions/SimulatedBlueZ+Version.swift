import FoundationEssentials

extension SimulatedBlueZ {
    /// A version of BlueZ that the simulation behaves like.
    ///
    /// Each is the version of a Debian release, simulated on that release's kernel. <doc:Versions> lists what differs.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public enum Version: String, CaseIterable, Sendable, CustomStringConvertible {
        /// BlueZ 5.66 on Linux 6.1, as in Debian 12.
        case v5_66 = "5.66"
        /// BlueZ 5.82 on Linux 6.12, as in Debian 13.
        case v5_82 = "5.82"
        /// BlueZ 5.87, as in Debian unstable, on Linux 6.12.
        case v5_87 = "5.87"

        /// The number, for example `5.82`.
        public var description: String { rawValue }

        /// The version of the variable `RXBLUETOOTH_BLUEZ`; nil if it is not set. Traps if it names no version.
        static let ofEnvironment: Version? = {
            guard let text = ProcessInfo.processInfo.environment["RXBLUETOOTH_BLUEZ"] else { return nil }
            guard let version = Version(rawValue: text) else {
                let known = allCases.map(\.rawValue).joined(separator: ", ")
                fatalError("RXBLUETOOTH_BLUEZ is “\(text)”. Set it to one of \(known).")
            }
            return version
        }()
    }
}
