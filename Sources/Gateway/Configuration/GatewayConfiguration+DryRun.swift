extension GatewayConfiguration {
    /// The settings of a dry run, which must not disturb a gateway that uses the same adapters, devices and ports.
    public var dryRun: GatewayConfiguration {
        var result = self
        result.recovery.allowsPowerCycle = false
        result.connections.closesForeignLinks = false
        result.metricsPort = nil
        result.store.path = nil
        return result
    }
}
