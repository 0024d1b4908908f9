import RxBluetooth
import Testing

@testable import ble_cli

struct DeviceListStateTests {
    private let devices = (0..<10).compactMap { BluetoothAddress("C0:FF:EE:00:00:0\($0)") }

    /// Presses the keys of a terminal's bytes. Returns the outcome of the last key.
    @discardableResult
    private func press(
        _ text: String, _ state: inout DeviceListState, opensTree: Bool = false, paneLines: Int = 0
    ) -> DeviceListState.Outcome {
        var decoder = TerminalKeyDecoder()
        var outcome = DeviceListState.Outcome.redraw
        func press(_ key: TerminalKey) {
            outcome = state.press(
                key, in: .init(devices: devices, height: 4, paneLines: paneLines, opensTree: opensTree))
            _ = state.window(of: devices, height: 4)
        }
        for byte in text.utf8 { if let key = decoder.add(byte) { press(key) } }
        if let key = decoder.finish() { press(key) }
        return outcome
    }

    @Test(
        arguments: [
            ("j", 0, 0), ("jj", 1, 0), ("jjjjj", 4, 1), ("jjjjjkkkk", 0, 0), ("k", 0, 0), ("G", 9, 6), ("Gg", 0, 0),
            ("j\u{1B}[B\u{1B}[A\u{1B}[B", 1, 0), ("j\u{1B}[6~", 3, 0), ("j\u{1B}[6~\u{1B}[6~", 6, 3),
            ("G\u{1B}[5~", 6, 6), ("\u{1B}[F", 9, 6), ("Gjjjj", 9, 6),
        ])
    func `Keys select a device, and scroll so that it is shown`(keys: String, place: Int, top: Int) {
        var state = DeviceListState(sort: .seen)
        press(keys, &state)
        #expect(state.selected == devices[place])
        #expect(state.top == top)
    }

    @Test func `The selection stays with its device when the order changes`() {
        var state = DeviceListState(sort: .seen)
        press("jj", &state)
        let reversed = Array(devices.reversed())
        #expect(state.window(of: reversed, height: 4) == 5..<9)
        #expect(state.selected == devices[1])
        // A device that is no longer in the list leaves the first device to select.
        _ = state.press(.down, in: .init(devices: Array(devices[5...]), height: 4))
        #expect(state.selected.map(devices[5...].contains) == true)
    }

    @Test func `The key s changes the order step by step`() {
        var state = DeviceListState(sort: .rssi)
        var orders: [DeviceSort] = []
        for _ in 0..<4 {
            press("s", &state)
            orders.append(state.sort)
        }
        #expect(orders == [.name, .address, .seen, .rssi])
    }

    @Test func `A filter has an effect while it is typed, and Esc clears it`() {
        var state = DeviceListState(sort: .seen)
        press("/strqp", &state)
        #expect(state.filter == "strqp" && state.isEditingFilter && !state.isPaused)
        press("\u{7F}\u{7F}\r", &state)
        #expect(state.filter == "str" && !state.isEditingFilter)
        press("/x\r", &state)
        #expect(state.filter == "strx")
        press("\u{1B}", &state)
        #expect(state.filter.isEmpty)
        press("/y\u{1B}", &state)
        #expect(state.filter.isEmpty && !state.isEditingFilter)
        press("/\u{1B}[A\u{1B}[31mz\r", &state)
        #expect(state.filter == "z")
    }

    @Test func `Esc undoes the selection first, and then the filter`() {
        var state = DeviceListState(sort: .seen)
        press("/a\rj", &state)
        press("\u{1B}", &state)
        #expect(state.selected == nil && state.filter == "a")
        press("\u{1B}", &state)
        #expect(state.filter.isEmpty)
    }

    @Test func `Enter opens the details of the selected device, and Esc returns`() {
        var state = DeviceListState(sort: .seen)
        #expect(press("jj\r", &state) == .redraw)
        #expect(state.pane == .details && state.selected == devices[1])
        press("jjj", &state, paneLines: 6)
        #expect(state.paneTop == 2)
        press("G", &state, paneLines: 20)
        #expect(state.paneTop == 16)
        #expect(press("\u{1B}", &state) == .redraw)
        #expect(state.pane == .list && state.selected == devices[1])
    }

    @Test func `In top, Enter connects, and Esc ends the connection`() {
        var state = DeviceListState(sort: .rssi)
        #expect(press("\r", &state, opensTree: true) == .openTree(devices[0]))
        #expect(state.pane == .tree)
        #expect(press("\u{1B}", &state, opensTree: true) == .closeTree)
        #expect(state.pane == .list)
    }

    @Test(
        arguments: [
            ("q", DeviceListState.Outcome.quit), ("\u{03}", .quit), ("\u{04}", .quit), ("\u{1A}", .suspend),
            ("\u{0C}", .clear), ("/\u{03}", .quit), ("\rq", .quit), ("x", .redraw), ("p", .redraw),
        ])
    func `Keys end, suspend and clear the view`(keys: String, outcome: DeviceListState.Outcome) {
        var state = DeviceListState(sort: .seen)
        #expect(press(keys, &state) == outcome)
    }

    @Test func `Help and pause are switched on and off`() {
        var state = DeviceListState(sort: .seen)
        press("?p", &state)
        #expect(state.showsHelp && state.isPaused)
        press("p\u{1B}", &state)
        #expect(!state.showsHelp && !state.isPaused)
    }

    @Test func `Without devices, keys have no effect`() {
        var state = DeviceListState(sort: .seen)
        for key in [TerminalKey.down, .up, .end, .pageDown, .enter] {
            #expect(state.press(key, in: .init(devices: [], height: 0)) == .redraw)
        }
        #expect(state.selected == nil && state.pane == .list)
        #expect(state.window(of: [], height: 0).isEmpty)
    }

    @Test func `Random bytes never break the state`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            var state = DeviceListState(sort: .seen)
            var decoder = TerminalKeyDecoder()
            for _ in 0..<200 {
                let shown = Array(devices.prefix(Int.random(in: 0...10, using: &random)))
                let height = Int.random(in: 0...6, using: &random)
                guard let key = decoder.add(UInt8.random(in: 0...255, using: &random)) else { continue }
                _ = state.press(key, in: .init(devices: shown, height: height, paneLines: 9, opensTree: true))
                let window = state.window(of: shown, height: height)
                #expect(window.lowerBound >= 0 && window.upperBound <= shown.count && window.count <= max(0, height))
            }
        }
    }
}
