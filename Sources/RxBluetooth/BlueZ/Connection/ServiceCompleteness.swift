/// How long the services that bluetoothd shows must stay the same until they count as complete (Q72).
///
/// Usually bluetoothd shows all attributes, then sets `ServicesResolved`. It may also set the property first, or
/// between two attributes. Its list of UUIDs, which is complete before, shows whether services are missing.
struct ServiceCompleteness {
    private let quietSince: MonotonicTime
    private let required: Duration

    /// How long to wait for the first service, and for further attributes if some may be missing.
    static let longestAbsence = Duration.seconds(1)
    static let quietTime = Duration.milliseconds(250)

    /// - Parameter resolvedAt: When `ServicesResolved` became true.
    init(of device: DeviceRecord, resolvedAt: MonotonicTime) {
        let addedAt = device.attributeAddedAt
        let isAddedLater = addedAt.map { $0.duration(since: resolvedAt) > .zero } ?? false
        quietSince = isAddedLater ? addedAt ?? resolvedAt : resolvedAt
        if device.services.isEmpty {
            required = Self.longestAbsence
        } else if addedAt == nil || !device.isAddedAfterResolved && device.showsAllListed {
            // Attributes from an earlier connection, or a list without gaps.
            required = .zero
        } else {
            required = Self.quietTime
        }
    }

    /// Returns the time until the services count as complete; zero if they do.
    func remaining(at now: MonotonicTime) -> Duration { max(.zero, required - now.duration(since: quietSince)) }
}

extension DeviceRecord {
    /// Whether bluetoothd shows each service that it lists in `UUIDs`, and no part of a service is evidently missing.
    ///
    /// bluetoothd lists services that it keeps to itself without showing them (Q109).
    fileprivate var showsAllListed: Bool {
        guard isListOfConnection else { return false }
        let shown = Set(services.values.filter(\.isPrimary).compactMap(\.uuid))
        let listed = Set(listedServices)
        return shown.isSubset(of: listed) && listed.subtracting(shown).isSubset(of: BlueZ.claimedServices)
            && services.values.allSatisfy { $0.isWhole && $0.includes.allSatisfy { services[$0] != nil } }
    }
}

extension ServiceRecord {
    /// Whether the service has what nearly every service has: characteristics, and a 2902 below those that notify.
    fileprivate var isWhole: Bool {
        guard let uuid else { return false }
        return (uuid == 0x1801 || !characteristics.isEmpty) && characteristics.values.allSatisfy(\.isWhole)
    }
}

extension CharacteristicRecord {
    fileprivate var isWhole: Bool {
        uuid != nil
            && (properties.isDisjoint(with: [.notify, .indicate]) || descriptors.values.contains { $0.uuid == 0x2902 })
    }
}
