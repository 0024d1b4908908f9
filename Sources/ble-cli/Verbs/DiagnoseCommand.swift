import ArgumentParser
import FoundationEssentials
import Rx
import RxBluetooth
import RxBluetoothSupport

/// The command `ble-cli diagnose`.
struct DiagnoseCommand: BluetoothCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnose", abstract: "Find out why Bluetooth does not work, and what to do about it.",
        discussion: """
            Examines the system bus, bluetoothd, the adapters, the rfkill switches and running scans, and prints its \
            findings in plain sentences, the most likely cause first. It works without bluetoothd or a bus, changes \
            nothing, and takes at most 2 seconds or the time of --timeout.

            Exit code: 0 if Bluetooth can be used, 2 if the adapter of --adapter is missing but others are present, \
            3 if Bluetooth cannot be used.

            EXAMPLES:
              ble-cli diagnose
              ble-cli diagnose --json | jq -r .cause
            """)

    @OptionGroup var common: CommonOptions

    func verb() throws(CLIError) -> any Verb { DiagnoseVerb() }
}

/// Prints why Bluetooth does not work.
struct DiagnoseVerb: Verb {
    /// False, because the diagnosis itself reports a missing adapter.
    var needsAdapter: Bool { false }

    func run(in context: CommandContext) -> Observable<Never> {
        context.manager.diagnose().asObservable()
            .do(onNext: { diagnosis in
                if context.options.json {
                    try context.output.line(diagnosis.json(at: context.scheduler.now).text)
                } else {
                    let findings = diagnosis.findings.map { finding in
                        [finding.text, finding.remedy].compactMap(\.self).joined(separator: " ")
                    }
                    for line in findings + diagnosis.facts { try context.output.prose(Sanitiser.clean(line)) }
                }
                guard diagnosis.cause.isObstacle else { return }
                throw CLIError(
                    diagnosis.cause == .otherAdapters ? .notFound : .unavailable,
                    "Bluetooth cannot be used (\(diagnosis.cause.rawValue)).")
            })
            .ignoreElements()
    }
}

extension Diagnosis.Finding {
    /// What to do, as the errors of other commands say it; nil if there is nothing to do.
    var remedy: String? { error?.hint ?? advice }
}

extension Diagnosis {
    /// Returns the diagnosis as a JSON object. Durations are in seconds.
    func json(at time: Date) -> JSON {
        .object([
            ("time", .string(Timestamp.text(time))), ("cause", .string(cause.rawValue)),
            ("usable", .bool(!cause.isObstacle)), ("state", .string(orNull: state?.rawValue)),
            ("bus", bus.json), ("daemon", daemon.json),
            ("daemonVersion", .string(orNull: daemonVersion?.description)),
            ("adapters", .array(adapters.map(\.diagnosed))),
            ("choice", .string(choice)), ("switches", .array(switches.map(\.json))),
            ("scanSource", scanSource?.json ?? .null), ("scans", .array(scans.map(\.json))),
            (
                "foreignScans",
                .array(
                    foreignScans.map {
                        .object([
                            ("adapter", .string($0.adapter)), ("seconds", .number(orNull: $0.duration?.wholeSeconds)),
                        ])
                    })
            ),
            ("connections", .array(connections.map(\.json))),
            ("pairings", .array(pairings.map(\.json))), ("rejectedMessages", .number(rejectedMessages)),
            (
                "findings",
                .array(
                    findings.map {
                        .object([
                            ("cause", .string($0.cause.rawValue)), ("text", .string($0.text)),
                            ("advice", .string(orNull: $0.remedy)),
                        ])
                    })
            ),
        ])
    }
}

extension Diagnosis.BusStatus {
    fileprivate var json: JSON {
        switch self {
        case .reachable: .string("reachable")
        case .unreachable: .string("unreachable")
        case .silent: .string("silent")
        }
    }
}

extension Diagnosis.DaemonStatus {
    fileprivate var json: JSON {
        switch self {
        case .answers(let name): Self.object("answers", name)
        case .silent(let name): Self.object("silent", name)
        case .refuses(let name, _): Self.object("refuses", name)
        case .notRunning: Self.object("not-running", nil)
        case .unknown: Self.object("unknown", nil)
        }
    }

    private static func object(_ state: String, _ name: String?) -> JSON {
        .object([("state", .string(state)), ("name", .string(orNull: name))])
    }
}

extension Adapter {
    fileprivate var diagnosed: JSON {
        .object([
            ("name", .string(name)), ("address", .string(orNull: address?.description)), ("powered", .bool(isPowered)),
            ("powerState", .string(orNull: powerState?.rawValue)), ("central", .bool(isCentral)),
            ("discovering", .bool(isDiscovering)), ("selected", .bool(isSelected)),
        ])
    }
}

extension RadioSwitch {
    fileprivate var json: JSON {
        .object([
            ("name", .string(name)), ("softBlocked", .bool(isSoftBlocked)), ("hardBlocked", .bool(isHardBlocked)),
        ])
    }
}

extension Diagnosis.ScanStatus {
    fileprivate var json: JSON {
        .object([
            ("adapter", .string(adapter)), ("active", .bool(step == .active)), ("passive", .bool(isPassive)),
            ("seconds", .number(duration.wholeSeconds)),
            ("subscribers", .number(subscribers)),
            ("secondsSinceHeard", .number(orNull: sinceAdvertisement?.wholeSeconds)),
            ("droppedResults", .number(droppedResults)), ("source", source.json),
        ])
    }
}

extension Diagnosis.ScanSourceStatus {
    fileprivate var json: JSON { .object([("name", .string(source.rawValue)), ("reason", .string(reason))]) }
}

extension Diagnosis.ConnectionStatus {
    fileprivate var json: JSON {
        .object([
            ("address", .string(peripheral.address.description)), ("step", .string(step.rawValue)),
            ("seconds", .number(duration.wholeSeconds)), ("running", .string(orNull: running?.operation.rawValue)),
            ("waiting", .number(waiting)),
        ])
    }
}

extension Diagnosis.PairingStatus {
    fileprivate var json: JSON {
        .object([
            ("address", .string(peripheral.address.description)), ("step", .string(step.rawValue)),
            ("seconds", .number(duration.wholeSeconds)),
        ])
    }
}

extension Duration {
    fileprivate var wholeSeconds: Int { Int(components.seconds) }
}
