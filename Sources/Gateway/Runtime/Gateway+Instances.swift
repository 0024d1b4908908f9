// Another gateway with the same name.
extension Gateway {
    func handle(_ outputs: [InstanceWatch.Output]) {
        for output in outputs {
            switch output {
            case .found(let other):
                let consequence = instances.givesWay ? "; until then, that one executes the commands" : ""
                report(
                    .warning,
                    "another gateway with the name “\(configuration.name)” runs on “\(other.host)”; "
                        + "give each gateway a name of its own\(consequence)")
            case .gone(let other):
                report(.info, "no other gateway has the name “\(configuration.name)” any more, “\(other.host)” is gone")
            case .useOwnIdentifier: delivery.useIdentifier(suffix: instances.own.id)
            }
        }
        if !outputs.isEmpty { publishStatusSoon() }
    }
}
