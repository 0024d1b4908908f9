/// Delays and time limits of bluetoothd and the kernel, measured or from the named source file.
enum DaemonTimeLimits {
    /// The time from `StartDiscovery` to its reply.
    static let startDiscovery = Duration.milliseconds(10)
    /// The time from `StopDiscovery` to its reply.
    static let stopDiscovery = Duration.milliseconds(10)
    /// The time from the registration of a service until the kernel confirms the service's UUID.
    static let kernelUUID = Duration.milliseconds(5)
    /// The time from a call that sets `Powered` to its reply.
    static let power = Duration.milliseconds(40)
    /// The time from `Disconnect` to the end of the link.
    ///
    /// bluetoothd always waits this long, so that its profiles can finish (Q84, src/device.c).
    static let disconnect = Duration.seconds(2)
    /// The time from `Connect` to its error if the peripheral does not answer.
    ///
    /// This is the kernel's L2CAP timeout (Q7).
    static let connectTimeout = Duration.seconds(40)
    /// How much longer a connection takes while the radio also scans, in the worst case (Q64).
    static let scanningMeanwhile = Duration.seconds(3)
    /// How long bluetoothd waits for the reply of an agent (src/agent.c).
    static let agent = Duration.seconds(60)
    /// The longest time between two pairing messages. Source: Bluetooth Core, Vol 3, Part H, 3.4.
    static let pairing = Duration.seconds(30)
    /// The time from an unanswered ATT request to the end of the link.
    ///
    /// Source: Bluetooth Core, Vol 3, Part F, 3.3.3.
    static let attTimeout = Duration.seconds(30)
    /// The time from the last contact with a peripheral to the end of its link.
    ///
    /// This is the kernel's default supervision timeout.
    static let supervision = Duration.milliseconds(420)
    /// The time from the last packet of a temporary device to its removal, in seconds.
    ///
    /// BlueZ names it TemporaryTimeout (Q59).
    static let temporary = 30
}
