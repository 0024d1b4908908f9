/// The links of ours that a killed bluetoothd left. The kernel keeps them for about two seconds, and the next bluetoothd shows them
/// (Q2). What continues such a connection has its own link again, which is ours to close; the link of another program is not (Q74).
final class OrphanedLinks: @unchecked Sendable {
    // Guard: touched in the bus's context only.
    private var numbers: [DeviceKey: UInt64] = [:]

    /// How long after the return of bluetoothd such a link can be one of before. Later it is somebody's new one.
    static let lifetime = Duration.seconds(5)

    /// bluetoothd has gone, and these were there.
    func left(by links: some Sequence<Link>) {
        for link in links where !link.isForeign { numbers[link.key] = link.number }
    }

    /// The device was seen without a link.
    func closed(_ key: DeviceKey) { numbers[key] = nil }

    /// Whether a connection with this number had the link of the device that is there now. Asked once, for then it is another one.
    func take(_ key: DeviceKey, number: UInt64?, since returned: Duration?) -> Bool {
        guard let left = numbers.removeValue(forKey: key), let returned, returned < Self.lifetime else { return false }
        return left == number
    }
}
