import Foundation
import RxBluetooth
import Testing

@testable import ble_cli

struct DeviceBoardTests {
    private static func result(
        _ number: Int, _ name: String? = nil, rssi: Int? = -50, at time: Double = 0
    ) throws -> ScannedPeripheral {
        let address = "C0:FF:EE:00:00:" + HexBytes.text([UInt8(number)])
        return ScannedPeripheral(
            peripheral: Peripheral(address: try #require(BluetoothAddress(address)), name: name), rssi: rssi,
            timestamp: Date(timeIntervalSinceReferenceDate: time))
    }

    @Test(
        arguments: [
            (DeviceSort.seen, [3, 1, 2, 4]), (.address, [1, 2, 3, 4]), (.rssi, [2, 1, 4, 3]), (.name, [2, 4, 1, 3]),
        ])
    func `Sorts by each order`(sort: DeviceSort, numbers: [Int]) throws {
        var board = DeviceBoard()
        board.hear(try Self.result(3, rssi: nil))
        board.hear(try Self.result(1, " ", rssi: -60))
        board.hear(try Self.result(2, "alpha", rssi: -40))
        board.hear(try Self.result(4, "Beta", rssi: -60))
        board.hear(try Self.result(1, " ", rssi: -60))
        #expect(board.advertisements == 5)
        #expect(try board.list(sort) == numbers.map { try Self.result($0).peripheral.address })
    }

    @Test func `A steady order uses the mean RSSI`() throws {
        var board = DeviceBoard()
        for rssi in [-50, -50, -50, -60] { board.hear(try Self.result(1, rssi: Int(rssi))) }
        board.hear(try Self.result(2, rssi: -55))
        let (first, second) = (try Self.result(1).peripheral.address, try Self.result(2).peripheral.address)
        #expect(board.list(.rssi) == [second, first])
        #expect(board.list(.rssi, isSteady: true) == [first, second])
        #expect(board.strengths(of: [first, second], isSteady: true) == [first: -53, second: -55])
        #expect(board.strengths(of: [second, first], isSteady: false) == [first: -60, second: -55])
    }

    @Test func `A filter compares names and addresses in upper and lower case`() throws {
        var board = DeviceBoard()
        board.hear(try Self.result(1, "Heart Strap"))
        board.hear(try Self.result(2))
        #expect(board.list(.seen, containing: " STRAP ").count == 1)
        #expect(board.list(.seen, containing: "ee:00:00:02").count == 1)
        #expect(board.list(.seen, containing: "x").isEmpty)
    }

    @Test func `Above the limit, the devices that were silent for longest are removed`() throws {
        var board = DeviceBoard(limit: 16)
        for number in 0..<16 { board.hear(try Self.result(number, at: Double(number))) }
        board.hear(try Self.result(0, at: 20))
        board.hear(try Self.result(16, at: 21))
        #expect(board.entries.count == 14)
        #expect(board[try Self.result(0).peripheral.address] != nil)
        for number in 1...3 { #expect(board[try Self.result(number).peripheral.address] == nil) }
        for number in 4...16 {
            let address = try Self.result(number).peripheral.address
            #expect(board[address]?.address == address)
        }
    }

    @Test func `A limit is kept if all devices are equally old`() throws {
        var board = DeviceBoard(limit: 16)
        for number in 0..<200 { board.hear(try Self.result(number)) }
        #expect((1...16).contains(board.entries.count))
    }

    @Test func `Rate and age follow from the times of advertisements`() throws {
        var board = DeviceBoard()
        let address = try Self.result(1).peripheral.address
        func date(_ time: Double) -> Date { Date(timeIntervalSinceReferenceDate: time) }
        board.hear(try Self.result(1, at: 100))
        #expect(board[address]?.rate(at: date(100)) == nil)
        for count in 1...40 { board.hear(try Self.result(1, at: 100 + Double(count) / 4)) }
        #expect(board[address]?.rate(at: date(110)) == 4)
        #expect(board[address]?.age(at: date(112.5)) == 2.5)
        #expect(board[address]?.age(at: date(50)) == 0)
        // After a silence, the rate falls.
        #expect((0.1...0.2).contains(try #require(board[address]?.rate(at: date(200)))))
        #expect(board[address]?.signal.all.count == SignalHistory.capacity)
    }

    @Test func `The history keeps the latest values in their order`() {
        var history = SignalHistory()
        for value in 0..<50 { history.add(-value) }
        #expect(history.all == (18..<50).map { -$0 })
        history.add(300)
        #expect(history.all.last == 127)
    }

    @Test func `A device that is only remembered has neither age nor rate`() throws {
        var board = DeviceBoard()
        let result = ScannedPeripheral(
            peripheral: Peripheral(address: "C0:FF:EE:00:00:01", name: nil),
            isCached: true)
        board.hear(result)
        #expect(board.advertisements == 0)
        #expect(board.entries.first?.age(at: Date()) == nil)
    }
}
