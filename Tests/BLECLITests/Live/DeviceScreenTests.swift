import Foundation
import RxBluetooth
import Testing

@testable import ble_cli

/// What a live list shows if its content does not fit the terminal.
struct DeviceScreenTests {
    private let screen = DeviceScreen(layout: .full, hasKeyboard: true)

    /// A device with a GATT tree of ten lines.
    private func content() throws -> DeviceScreen.Content {
        let address: BluetoothAddress = "C0:FF:EE:00:00:01"
        var content = DeviceScreen.Content()
        content.board.hear(
            ScannedPeripheral(
                peripheral: Peripheral(address: address, name: "Strap"), rssi: -50, timestamp: content.now))
        content.order.update(
            content.board, advertisements: 1, by: .seen, containing: "", isSteady: true, at: 0)
        content.tree = (1...10).map { ScreenLine("line \($0)") }
        return content
    }

    private func state(_ keys: TerminalKey..., of content: DeviceScreen.Content, height: Int) -> DeviceListState {
        var state = DeviceListState(sort: .seen)
        for key in keys {
            _ = state.press(
                key,
                in: .init(
                    devices: content.order.devices, height: height, paneLines: content.tree.count, opensTree: true))
        }
        return state
    }

    /// The first and the last line of the terminal are the title and the keys.
    @Test(
        arguments: [(13, nil, 10), (12, nil, 10), (11, "… 2 more lines", 8), (5, "… 8 more lines", 2)]
            as [(Int, String?, Int)])
    func `The last line of a cut tree counts the lines that are left out`(rows: Int, mark: String?, shown: Int) throws {
        let content = try content()
        var state = state(.enter, of: content, height: rows - 2)
        #expect(state.pane == .tree)
        let lines = screen.draw(&state, content, in: TerminalSize(columns: 80, rows: rows)).lines.map(\.text)
        #expect(lines.count == rows)
        #expect(lines.filter { $0.hasPrefix("line ") } == (1...shown).map { "line \($0)" })
        #expect(lines.first { $0.hasPrefix("…") } == mark)
        #expect(mark == nil || lines[rows - 2] == mark)
    }

    @Test func `The end of a scrolled tree has no mark`() throws {
        let content = try content()
        var state = state(.enter, .end, of: content, height: 6)
        let lines = screen.draw(&state, content, in: TerminalSize(columns: 80, rows: 8)).lines.map(\.text)
        #expect(lines[1...6].elementsEqual((5...10).map { "line \($0)" }))
    }

    @Test func `The last line of cut details counts the lines that are left out`() throws {
        let content = try content()
        let entry = try #require(content.board.entries.first)
        let count = AdvertisementDetails(entry, at: content.now).lines(in: 20).count
        #expect((6...14).contains(count))
        var state = state(.down, of: content, height: 4)
        #expect(state.selected == content.order.devices.first)
        // The details have at most half of the lines between the title and the keys.
        let low = screen.draw(&state, content, in: TerminalSize(columns: 20, rows: 12)).lines.map(\.text)
        #expect(low[10] == "… \(count - 4) more lines", "\(low)")
        let high = screen.draw(&state, content, in: TerminalSize(columns: 20, rows: 30)).lines.map(\.text)
        #expect(!high.contains { $0.hasSuffix("more lines") }, "\(high)")
    }
}
