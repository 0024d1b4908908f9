import Rx
import RxBluetooth

/// A way to print scan results.
protocol ScanView: Sendable {
    /// Whether the view needs every advertisement.
    var wantsAll: Bool { get }
    /// Whether the view shows the state of Bluetooth itself, so that no notes are needed.
    var showsState: Bool { get }
    /// Whether the view prints only at the end of the scan.
    var isAtEnd: Bool { get }

    /// Prints the results until they end.
    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never>
}

extension ScanView {
    var showsState: Bool { false }
    var isAtEnd: Bool { false }
}

/// Prints each scan result as one line.
struct ScanLines: ScanView {
    let output: any Output
    var isShown: @Sendable (ScannedPeripheral) -> Bool = { _ in true }
    let line: @Sendable (ScannedPeripheral) -> String

    var wantsAll: Bool { false }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        sightings.filter(isShown).do(onNext: { try output.line(line($0)) }).ignoreElements()
    }
}

/// Prints the latest result of each device as one line, in an order, when the scan ends or is interrupted.
struct SortedScanLines: ScanView {
    let output: any Output
    let sort: DeviceSort
    let line: @Sendable (ScannedPeripheral) -> String

    var wantsAll: Bool { true }
    var isAtEnd: Bool { true }

    func show(_ sightings: Observable<ScannedPeripheral>) -> Observable<Never> {
        let board = Guarded<DeviceBoard?>(DeviceBoard())
        let printAll: @Sendable () throws -> Void = {
            // The first end of the scan prints, so that later ones find nothing.
            let board = board.withLock { board in
                defer { board = nil }
                return board
            }
            guard let board else { return }
            for address in board.list(sort) {
                guard let entry = board[address] else { continue }
                try output.line(line(entry.latest))
            }
        }
        return sightings.do(
            onNext: { result in board.withLock { $0?.hear(result) } }, onError: { _ in try printAll() },
            onCompleted: { try printAll() }, onDispose: { try? printAll() }
        )
        .ignoreElements()
    }
}

/// A filter that passes a scan result if its device is new or has changed its name.
final class NewDeviceFilter: Sendable {
    private let names = Guarded<[BluetoothAddress: String?]>([:])
    private static let limit = 10_000

    @Sendable
    func isNew(_ sighting: ScannedPeripheral) -> Bool {
        names.withLock { names in
            let address = sighting.peripheral.address
            // Bounds the list, because private addresses change all the time.
            // If the list is cleared, devices are only printed once more.
            if names.count >= Self.limit, names[address] == nil { names.removeAll() }
            guard let name = names.updateValue(sighting.name, forKey: address) else { return true }
            return name != sighting.name
        }
    }
}
