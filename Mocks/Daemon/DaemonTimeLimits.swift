/// Delays and time limits of bluetoothd and the kernel, measured or from the named source file.
///
/// "From X to Y" describes a constant that is the time from the event X to the event Y.
enum DaemonTimeLimits {
    /// From `StartDiscovery` to its reply.
    static let startDiscovery = Duration.milliseconds(10)
    /// From `StopDiscovery` to its reply.
    static let stopDiscovery = Duration.milliseconds(10)
    /// From registering a service until the kernel confirms its UUID.
    static let kernelUUID = Duration.milliseconds(5)
    /// From `Set(Powered)` to its reply.
    static let power = Duration.milliseconds(40)
    /// From `Disconnect` to the end of the link.
    ///
    /// bluetoothd always waits for its profiles (Q84, src/device.c).
    static let disconnect = Duration.seconds(2)
    /// From `Connect` to the error if the peripheral does not answer: the kernel's L2CAP timeout (Q7).
    static let connectTimeout = Duration.seconds(40)
    /// How much longer a connection takes while the radio also scans, in the worst case (Q64).
    static let scanningMeanwhile = Duration.seconds(3)
    /// How long bluetoothd waits for an agent (src/agent.c).
    static let agent = Duration.seconds(60)
    /// The longest time between two pairing messages. Source: Bluetooth Core, Vol 3, Part H, 3.4.
    static let pairing = Duration.seconds(30)
    /// From an unanswered ATT request to the end of the link. Source: Bluetooth Core, Vol 3, Part F, 3.3.3.
    static let attTimeout = Duration.seconds(30)
    /// From a peripheral out of range to the end of its link: the kernel's default supervision timeout.
    static let supervision = Duration.milliseconds(420)
    /// From the last packet to the removal of a temporary device, in seconds (Q59, TemporaryTimeout).
    static let temporary = 30
}
