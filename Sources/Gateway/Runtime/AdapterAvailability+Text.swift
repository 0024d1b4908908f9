extension AdapterAvailability.Change {
    /// How severe the change is.
    var level: GatewayEvent.Level {
        switch self {
        case .obstacle(nil), .found: .info
        case .obstacle, .missing: .warning
        }
    }

    /// What happened, in one line.
    var text: String {
        switch self {
        case .obstacle(let obstacle?): "the gateway cannot receive: \(obstacle.advice)"
        case .obstacle(nil): "Bluetooth can be used again"
        case .missing(let name):
            "\(name) cannot receive: there is no such adapter; plug it in, or correct adapters in the configuration"
        case .found(let name): "the adapter \(name) exists now"
        }
    }
}

extension GatewayStatus {
    /// Sets what keeps the gateway from receiving with all adapters, or with missing ones.
    mutating func set(_ availability: AdapterAvailability) {
        obstacle = availability.obstacle?.word
        missingAdapters = availability.missing
    }
}

extension MetricsText {
    /// Adds one value for each obstacle that concerns all adapters.
    mutating func add(_ availability: AdapterAvailability) {
        add(
            "ble_gateway_obstacle", .gauge, "Whether nothing can be received with any adapter, by the reason.",
            [ScanObstacle.noBus, .noDaemon, .unauthorized(nil), .noAdapter].map {
                ([("obstacle", $0.word)], availability.obstacle?.word == $0.word ? 1 : 0)
            })
        add(
            "ble_gateway_adapter_missing", .gauge, "Whether a selected adapter does not exist.",
            availability.missing.map { ([("adapter", $0)], 1) })
    }
}
