public import FoundationEssentials

extension SensorReading {
    /// The time on the device's clock; nil if it sends none.
    ///
    /// This is ``timestamp`` as a date. A clock without a time zone is taken as one in UTC. Setting it drops the
    /// fraction of a second.
    public var date: Date? {
        get { timestamp.map { Date(timeIntervalSince1970: Double($0)) } }
        set { timestamp = newValue.flatMap { Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) } }
    }

    /// Returns the first value of a quantity that is a time; nil if there is none.
    public func duration(of quantity: Quantity) -> Duration? {
        for measurement in measurements where measurement.quantity == quantity { return measurement.duration }
        return nil
    }
}

extension SensorMeasurement {
    /// The value as a duration, to a thousandth of a second; nil if the unit is not one of time up to days.
    public var duration: Duration? {
        let factor: Double
        switch unit {
        case .second: factor = 1
        case .minute: factor = 60
        case .hour: factor = 3600
        case .day: factor = 86_400
        default: return nil
        }
        return Int64(exactly: (value * factor * 1000).rounded()).map { .milliseconds($0) }
    }
}

extension Eddystone.Telemetry {
    /// The time since the beacon started, to a tenth of a second: ``upTime`` as a duration.
    public var timeSinceStart: Duration? {
        get { upTime.flatMap { Int64(exactly: ($0 * 10).rounded()) }.map { .milliseconds(100) * $0 } }
        set { upTime = newValue.map { ($0 / .milliseconds(100)).rounded() / 10 } }
    }
}
