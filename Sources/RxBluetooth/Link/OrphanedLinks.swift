/// The links of ours that a killed bluetoothd left. The kernel keeps them for about two seconds, and the next bluetoothd shows them
/// (Q2). A connection that this manager makes over one has its own link again, which is ours to close; the link of another program is not (Q74).
final class OrphanedLinks {
    private var keys: Set<DeviceKey> = []

    /// How long after the return of bluetoothd such a link can be one of before. Later it is somebody's new one.
    static let lifetime = Duration.seconds(5)

    /// bluetoothd has gone, and these were there.
    func left(by links: some Sequence<Link>) {
        for link in links where !link.state.isOfOtherProgram { keys.insert(link.key) }
    }

    /// The device was seen without a link.
    func closed(_ key: DeviceKey) { keys.remove(key) }

    /// The next bluetoothd has told which devices are connected. A link to another one is a new one.
    func keep(where isConnected: (DeviceKey) -> Bool) { keys = keys.filter(isConnected) }

    /// Whether the link to a device is one that we made before. Asked once, for a later link is another one.
    func take(_ key: DeviceKey, since returned: Duration?) -> Bool {
        guard keys.remove(key) != nil, let returned else { return false }
        return returned < Self.lifetime
    }
}
