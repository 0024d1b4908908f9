import Rx
import RxBluetooth

/// Shows what advertises, until the time limit, or without one until it is stopped.
struct ScanVerb: Verb {
    var services: [BluetoothUUID] = []
    /// Whether every advertisement is shown, where lines of JSON are.
    var showsAll = false
    /// Whether to begin with the devices that bluetoothd remembers.
    var includesKnown = false
    /// Whether to wait where Bluetooth cannot be used, and to go on when it can.
    var reconnects = false

    /// How long all devices may be silent before the scan is started anew, where it is to go on by itself (Q42).
    private static let silence = Duration.seconds(90)

    func run(in context: CommandContext) -> Observable<Never> {
        Observable.deferred {
            let view = view(in: context)
            let sightings = context.manager.scanForPeripherals(
                withServices: services,
                options: ScanOptions(
                    allowsDuplicates: showsAll || view.wantsAll, includesKnown: includesKnown, resumes: reconnects,
                    restartsAfterSilence: reconnects ? Self.silence : nil))
            let limited =
                context.options.timeout.map { sightings.take(for: $0.interval, scheduler: context.scheduler) }
                ?? sightings
            // A table has the terminal for itself.
            guard reconnects, !view.wantsAll else { return view.show(limited) }
            return view.show(limited.withNotes(StatusNotes(context: context).ofBluetooth()))
        }
    }

    private func view(in context: CommandContext) -> any ScanView {
        if context.options.json { return ScanLines(output: context.output) { $0.json.text } }
        if !showsAll, let table = LiveScanTable(context.output, scheduler: context.scheduler) { return table }
        if showsAll { return ScanLines(output: context.output) { $0.line } }
        return ScanLines(output: context.output, isShown: NewDeviceFilter().isNew) { $0.line }
    }
}

/// A way to show a scan.
protocol ScanView: Sendable {
    /// Whether it makes use of every advertisement.
    var wantsAll: Bool { get }

    /// Shows the sightings until they end.
    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never>
}

/// One line for a sighting.
struct ScanLines: ScanView {
    let output: any Output
    var isShown: @Sendable (ScannedPeripheral) -> Bool = { _ in true }
    let line: @Sendable (ScannedPeripheral) -> String

    var wantsAll: Bool { false }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        sightings.filter(isShown).do(onNext: { try output.line(line($0)) }).ignoreElements()
    }
}
