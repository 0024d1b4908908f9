import Testing

/// How fast this machine is at the moment. The host of the virtual machine may be slow, or do other work.
enum MachineSpeed {
    /// The time of `ble-cli adapters` on the virtual machine of an idle host with two cores, in seconds.
    private static let usual = 0.6

    /// Expects a time that is shorter than a bound, in seconds.
    ///
    /// The bound is for a machine of the usual speed. If it is missed, the machine's speed is measured, and the bound
    /// of a slower machine is longer in proportion. The tests on the simulation check the bounds in virtual time.
    static func expect(
        _ time: Double, isBelow bound: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard time >= bound else { return }
        let start = Moment.now
        _ = try Command.bleCLI("adapters")
        let slowness = max(1, (Moment.now - start) / usual)
        print("\(time) s is not below \(bound) s. The machine is \(slowness) times slower than usual.")
        #expect(time < bound * slowness, sourceLocation: sourceLocation)
    }
}
