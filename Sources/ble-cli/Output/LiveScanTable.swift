import Dispatch
import Rx
import RxBluetooth

/// A scan as a table that is drawn over itself when something has changed, ten times a second at most. While nothing
/// comes, nothing runs.
final class LiveScanTable: ScanView {
    private let output: any Output
    private let scheduler: any SchedulerType
    private let state = Guarded(State())

    /// Far more than a terminal shows; what was not heard for longest makes room.
    private static let mostRows = 500

    private struct State {
        var rows: [BluetoothAddress: (row: ScanTableLayout.Row, place: Int, heard: Int)] = [:]
        var count = 0
        /// The lines that stand on the screen.
        var drawn: [String] = []
    }

    /// Makes a table; nil where the output is no terminal.
    init?(_ output: any Output, scheduler: any SchedulerType) {
        guard output.size != nil else { return nil }
        self.output = output
        self.scheduler = scheduler
    }

    var wantsAll: Bool { true }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        sightings
            .filter { self.take($0) }
            .map { _ in }
            .throttle(.milliseconds(100), latest: true, scheduler: scheduler)
            .do(onNext: { try self.draw() }, onDispose: { self.leave() })
            .ignoreElements()
    }

    /// Notes a sighting. Tells whether it changed what the table shows.
    private func take(_ sighting: ScannedPeripheral) -> Bool {
        let row = ScanTableLayout.Row(
            address: sighting.peripheral.address.description, rssi: sighting.rssi, name: sighting.shownName,
            company: sighting.shownCompanies, services: sighting.shownServices)
        return state.withLock { state in
            state.count += 1
            let address = sighting.peripheral.address
            let old = state.rows[address]
            state.rows[address] = (row, old?.place ?? state.count, state.count)
            if state.rows.count > Self.mostRows, let oldest = state.rows.min(by: { $0.value.heard < $1.value.heard }) {
                state.rows[oldest.key] = nil
            }
            return old?.row != row
        }
    }

    private func draw() throws {
        guard let size = output.size else { return }
        let text = state.withLock { state -> String? in
            // Those seen first stay on top, so that nothing jumps.
            let rows = state.rows.values.sorted { $0.place < $1.place }.map(\.row)
            let lines = ScanTableLayout.lines(rows, in: size)
            guard lines != state.drawn else { return nil }
            defer { state.drawn = lines }
            return Screen.redraw(lines, over: state.drawn.count)
        }
        if let text { try output.write(text) }
    }

    private func leave() {
        guard state.withLock({ !$0.rows.isEmpty }) else { return }
        // Whoever closed the terminal does not miss its cursor.
        try? draw()
        try? output.write(Screen.showCursor)
    }
}

/// The few control sequences that are needed. Source: ECMA-48; DEC private modes 7 and 25.
enum Screen {
    static let showCursor = "\u{1B}[?25h"
    private static let hideCursor = "\u{1B}[?25l"

    // Terminals disagree on the width of some emoji. Without line wrap a line that turns out too long stays one line.
    private static let noWrap = "\u{1B}[?7l"
    private static let wrap = "\u{1B}[?7h"

    /// Draws lines over those that were drawn before, in one piece and without clearing first, so that nothing flickers.
    static func redraw(_ lines: [String], over count: Int) -> String {
        var text = (count > 0 ? "\u{1B}[\(count)A" : hideCursor) + noWrap
        for line in lines { text += "\r\(line)\u{1B}[K\n" }
        return text + "\u{1B}[J" + wrap
    }
}
