import FoundationEssentials
import RxBluetooth
import Testing

@testable import ble_cli

/// The order of a live list, and the column by which it is sorted.
struct DeviceOrderTests {
    private static let near: BluetoothAddress = "C0:FF:EE:00:00:01"
    private static let far: BluetoothAddress = "C0:FF:EE:00:00:02"

    private var board = DeviceBoard()
    private var order = DeviceOrder()

    private mutating func hear(_ address: BluetoothAddress, rssi: Int, at time: Double) {
        board.hear(
            ScannedPeripheral(
                peripheral: Peripheral(address: address), rssi: rssi,
                timestamp: Date(timeIntervalSinceReferenceDate: time)))
    }

    private mutating func update(by sort: DeviceSort = .rssi, isSteady: Bool = true, at time: Double) {
        order.update(
            board, advertisements: board.advertisements, by: sort, containing: "", isSteady: isSteady, at: time)
    }

    /// The RSSI that is shown for a device.
    private func shown(_ address: BluetoothAddress) -> Int? { board[address].flatMap { order.rssi(of: $0) } }

    /// The numbers in the column of the RSSI, from top to bottom.
    private func column() -> [Int] {
        var content = DeviceScreen.Content()
        content.board = board
        content.order = order
        var state = DeviceListState(sort: .rssi)
        let screen = DeviceScreen(layout: .full, hasKeyboard: true)
        let lines = screen.draw(&state, content, in: TerminalSize(columns: 120, rows: 10)).lines.map(\.text)
        return lines.dropFirst(2).compactMap { line in
            line.split(separator: " ").compactMap { Int($0) }.first { $0 < 0 }
        }
    }

    @Test mutating func `A column by which the list is sorted looks sorted at each drawing`() {
        for round in 0..<40 {
            let time = Double(round) / 4
            hear(Self.near, rssi: -60 - round % 7, at: time)
            hear(Self.far, rssi: -66 + round % 7, at: time)
            update(at: time)
            let shown = column()
            #expect(shown.count == 2 && shown == shown.sorted(by: >), "\(shown)")
        }
    }

    @Test mutating func `The order is updated once a second, and with each new device`() {
        hear(Self.near, rssi: -60, at: 0)
        update(at: 0)
        #expect(order.devices == [Self.near])
        hear(Self.far, rssi: -50, at: 0.1)
        update(at: 0.1)
        #expect(order.devices == [Self.far, Self.near] && shown(Self.far) == -50)
        for _ in 0..<20 { hear(Self.near, rssi: -40, at: 0.2) }
        update(at: 0.9)
        #expect(order.devices == [Self.far, Self.near] && shown(Self.near) == -60)
        update(at: 1)
        #expect(order.devices == [Self.near, Self.far] && shown(Self.near) == -40)
    }

    @Test mutating func `In another order, the RSSI is always the present one`() {
        hear(Self.near, rssi: -60, at: 0)
        update(by: .seen, at: 0)
        hear(Self.near, rssi: -50, at: 0.1)
        update(by: .seen, at: 0.1)
        #expect(shown(Self.near) == -55)
        hear(Self.near, rssi: -40, at: 1.1)
        update(by: .seen, isSteady: false, at: 1.1)
        #expect(shown(Self.near) == -40)
    }

    @Test mutating func `After a key, the list is sorted at once`() {
        hear(Self.far, rssi: -60, at: 0)
        hear(Self.near, rssi: -50, at: 0)
        update(at: 0)
        #expect(order.devices == [Self.near, Self.far])
        update(by: .seen, at: 0.1)
        #expect(order.devices == [Self.near, Self.far])
        order.invalidate()
        update(by: .seen, at: 0.2)
        #expect(order.devices == [Self.far, Self.near])
    }

    @Test mutating func `The rate counts the advertisements since the last order`() {
        hear(Self.near, rssi: -60, at: 0)
        update(at: 0)
        #expect(order.rate == nil)
        for _ in 0..<50 { hear(Self.near, rssi: -60, at: 1) }
        update(at: 2)
        #expect(order.rate == 25)
        // A clock that is set back causes a new order, and no negative rate.
        update(at: -100)
        #expect(order.rate == 0)
    }
}
