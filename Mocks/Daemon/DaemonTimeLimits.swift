/// How long bluetoothd and the kernel take, seen on the real ones or taken from the source file named.
enum DaemonTimeLimits {
    /// From `StartDiscovery` to its reply.
    static let startDiscovery = Duration.milliseconds(10)
    /// From `StopDiscovery` to its reply.
    static let stopDiscovery = Duration.milliseconds(10)
    /// From a UUID of a registered service to the kernel's word that it knows it.
    static let kernelUUID = Duration.milliseconds(5)
    /// From `Set(Powered)` to its reply.
    static let power = Duration.milliseconds(40)
    /// From `Disconnect` to the end of the link: bluetoothd waits for its profiles, always (Q84, src/device.c).
    static let disconnect = Duration.seconds(2)
    /// From `Connect` to the error where the peripheral does not answer: the kernel's L2CAP timeout (Q7).
    static let connectTimeout = Duration.seconds(40)
    /// How much longer a connection takes where the radio also scans, in the worst case (Q64).
    static let scanningMeanwhile = Duration.seconds(3)
    /// How long an agent may take to answer (src/agent.c).
    static let agent = Duration.seconds(60)
    /// From one message of a pairing to the next at most; then the kernel ends the link. Source: Bluetooth Core, Vol 3, Part H,
    /// 3.4.
    static let pairing = Duration.seconds(30)
    /// From an ATT request without an answer to the end of the link. Source: Bluetooth Core, Vol 3, Part F, 3.3.3.
    static let attTimeout = Duration.seconds(30)
    /// From a peripheral out of range to the end of its link: the kernel's default.
    static let supervision = Duration.milliseconds(420)
    /// How many seconds after it was last seen a temporary device is forgotten (Q59, TemporaryTimeout in main.conf).
    static let temporary = 30
}
