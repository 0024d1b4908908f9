import FoundationEssentials
import Rx
import RxBluetooth

extension Gateway {
    /// The present status, as it is published.
    public func status() -> GatewayStatus {
        let now = loop.monotonicTime
        let time = loop.scheduler.now
        var status = GatewayStatus(
            name: configuration.name, version: GatewayVersion.current, uptime: uptime, time: time)
        let summary = delivery.summary
        status.store = summary.store
        status.storeFailure = summary.storeFailure?.kind
        status.brokerConnections = counts.brokerConnections
        status.keepsRetained = delivery.keepsRetained
        status.devices = pipeline.deviceCount
        status.suppressed = pipeline.suppressed
        status.drops = drops(summary)
        status.set(adapters.availability)
        status.instance = instances.own
        status.duplicate = instances.other?.host
        status.bluezVersion = adapters.daemonVersion?.description
        status.adapters = adapters.supervisors.map(\.status).map { adapter in
            let name = adapter.displayName
            var result = GatewayStatus.Adapter(name: name)
            if case .address(let address) = adapter.adapter { result.address = address.description }
            result.state = adapter.obstacle?.word ?? (adapter.isSilent ? "silent" : "receiving")
            result.advertisementsPerSecond = rates.rate(of: name, adapter.advertisements, now)
            if adapter.advertisements > 0 {
                result.lastHeard = time.addingTimeInterval(-(adapter.sinceAdvertisement / .seconds(1)))
            }
            result.lastRecoveryStep = adapter.lastStep?.rawValue
            result.lastRecovery = adapter.sinceLastStep.map { time.addingTimeInterval(-($0 / .seconds(1))) }
            for (step, count) in adapter.counts { result.recoverySteps[step.rawValue] = count.tried }
            return result
        }
        return status
    }

    /// What was lost or ignored, by its reason.
    func drops(_ summary: DeliverySummary) -> [String: Int] {
        [
            "store_full": summary.store.dropped, "store_failed": summary.droppedUnstored,
            "store_damaged": summary.store.damaged,
            "devices_forgotten": pipeline.evicted, "advertisements_refused": pipeline.counts.refused,
            "advertisements_downgraded": pipeline.counts.downgraded,
            "values_impossible": pipeline.impossibleValues + connections.impossibleValues,
            "commands_ignored": connections.expiredCommands, "commands_expired": connections.book.expiredCount,
            "commands_unknown": counts.unknownDevices, "commands_left": counts.leftCommands,
            "broker_refused": summary.rejected, "broker_set_aside": summary.setAside,
            "received_ignored": summary.receivedIgnored, "store_full_others": summary.store.droppedLow,
            "other_advertisements_ignored": pipeline.ignored.advertisements,
            "other_readings_ignored": pipeline.ignored.readings, "names_refused": pipeline.refusedNames,
            "shared_ignored": connections.sharing?.ignoredCount ?? 0,
            "device_messages_ignored": pipeline.ignoredDeviceMessages,
            "discoveries_refused": discovery?.refusedCount ?? 0,
        ]
    }

    /// The metrics in the text format of Prometheus.
    public func metrics() -> String {
        let summary = delivery.summary
        var text = MetricsText()
        text.add("ble_gateway_info", .gauge, "The version.", [([("version", GatewayVersion.current)], 1)])
        text.add("ble_gateway_uptime_seconds", .gauge, "The time since the start.", uptime / .seconds(1))
        text.add(
            "ble_gateway_readings_published_total", .counter, "Readings passed to the store.",
            Double(pipeline.counts.messages))
        text.add(
            "ble_gateway_readings_suppressed_total", .counter, "Readings that did not change enough.",
            Double(pipeline.suppressed))
        text.add("ble_gateway_devices", .gauge, "Devices in range that are published.", Double(pipeline.deviceCount))
        text.add("ble_gateway_links", .gauge, "Connections to devices.", Double(connections.linkCount))
        text.add(adapters.availability)
        addAdapters(to: &text)
        text.add(
            "ble_gateway_broker_connected", .gauge, "Whether the broker is connected.", delivery.isConnected ? 1 : 0)
        text.add(
            "ble_gateway_broker_connections_total", .counter, "Accepted connections to the broker.",
            Double(counts.brokerConnections))
        text.add(
            "ble_gateway_store_failed", .gauge,
            "Whether messages cannot be stored, for example because the disk is full.",
            summary.storeFailure == nil ? 0 : 1)
        text.add(
            "ble_gateway_duplicate", .gauge, "Whether another gateway with the same name is connected.",
            instances.other == nil ? 0 : 1)
        text.add(
            "ble_gateway_store_messages", .gauge, "Messages that wait for the broker.", Double(summary.store.count))
        text.add("ble_gateway_store_bytes", .gauge, "Their size in bytes.", Double(summary.store.bytes))
        text.add("ble_gateway_commands_total", .counter, "Commands received.", Double(counts.commands))
        text.add(
            "ble_gateway_drops_total", .counter, "What was lost or ignored, by its reason.",
            drops(summary).sorted { $0.key < $1.key }.map { ([("reason", $0.key)], Double($0.value)) })
        return text.text
    }

    private func addAdapters(to text: inout MetricsText) {
        let adapters = adapters.supervisors.map(\.status).map { (name: $0.displayName, status: $0) }
        text.add(
            "ble_gateway_advertisements_total", .counter, "Advertisements received.",
            adapters.map { ([("adapter", $0.name)], Double($0.status.advertisements)) })
        text.add(
            "ble_gateway_adapter_silent", .gauge, "Whether the adapter should receive, and does not.",
            adapters.map { ([("adapter", $0.name)], $0.status.isSilent ? 1 : 0) })
        text.add(
            "ble_gateway_adapter_obstacle", .gauge,
            "Whether the adapter cannot receive, for example because it is off.",
            adapters.map { ([("adapter", $0.name)], $0.status.obstacle == nil ? 0 : 1) })
        let steps = adapters.flatMap { adapter in
            RecoveryStep.allCases.map { step in
                (
                    labels: [("adapter", adapter.name), ("step", step.rawValue)],
                    value: adapter.status.counts[step] ?? StepCount()
                )
            }
        }
        text.add(
            "ble_gateway_recovery_steps_total", .counter, "Recovery steps that were tried.",
            steps.map { ($0.labels, Double($0.value.tried)) })
        text.add(
            "ble_gateway_recovery_steps_helped_total", .counter, "Recovery steps after which advertisements arrived.",
            steps.map { ($0.labels, Double($0.value.helped)) })
    }
}

extension AdapterStatus {
    /// The name of the adapter; its address or selection while the name is not known.
    fileprivate var displayName: String {
        if let name { return name }
        return switch adapter {
        case .named(let name): name
        case .address(let address): address.description
        case .automatic: "automatic"
        }
    }
}

/// The rates of advertisements between two messages with the status.
struct AdvertisementRates {
    private var last: [String: (count: UInt64, time: Duration)] = [:]
    private var rates: [String: Double] = [:]

    /// Returns the rate since the last call that was at least some seconds ago.
    mutating func rate(of adapter: String, _ count: UInt64, _ now: Duration) -> Double {
        guard let before = last[adapter], count >= before.count else {
            last[adapter] = (count, now)
            rates[adapter] = 0
            return 0
        }
        let seconds = (now - before.time) / .seconds(1)
        // Messages after a change follow each other quickly, and would have rates of a moment.
        guard seconds >= 5 else { return rates[adapter] ?? 0 }
        let rate = Double(count - before.count) / seconds
        last[adapter] = (count, now)
        rates[adapter] = rate
        return rate
    }
}
