// Another gateway with the same name.
extension Gateway {
    func handle(_ outputs: [InstanceWatch.Output]) {
        for output in outputs {
            switch output {
            case .found(let other):
                report(
                    .warning,
                    "another gateway with the name “\(configuration.name)” runs on “\(other.host)”; give each gateway "
                        + "a name of its own; until then, both publish readings and values of connected devices, and "
                        + "\(instances.givesWay ? "that" : "this") one executes the commands")
            case .gone(let other):
                report(.info, "no other gateway has the name “\(configuration.name)” any more, “\(other.host)” is gone")
            case .resumed:
                report(
                    .warning,
                    "this gateway executes the commands for the name “\(configuration.name)” again, because the one "
                        + "that did is gone; others still have this name")
            case .useOwnIdentifier: delivery.useIdentifier(suffix: instances.own.id)
            }
        }
        if !outputs.isEmpty { publishStatusSoon() }
    }
}
