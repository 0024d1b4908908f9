import FoundationEssentials
import RxBluetooth

/// Composes the lines of a live list of devices for the size of the terminal.
struct DeviceScreen: Sendable {
    enum Layout: Sendable {
        /// A table that is as high as its content, below the earlier output of the terminal.
        case table
        /// A full screen with a title, and the details of the selected device.
        case full
    }

    /// What is shown, apart from the state that keys change.
    struct Content: Sendable {
        var board = DeviceBoard()
        var order = DeviceOrder()
        var now = Date(timeIntervalSinceReferenceDate: 0)
        /// Why no advertisements are received; nil if Bluetooth is available.
        var obstacle: String?
        /// The lines of the GATT tree.
        var tree: [ScreenLine] = []
    }

    /// The lines, and what they mean for the next key.
    struct Drawing: Sendable {
        var lines: [ScreenLine]
        var surroundings: DeviceListState.Surroundings
    }

    let layout: Layout
    var hasKeyboard = false
    var isUnicode = true

    private func table(in columns: Int) -> DeviceTableLayout { layout == .full ? .top : .scan(in: columns) }

    /// Returns the lines for a terminal. The state scrolls so that the selection is shown.
    func draw(_ state: inout DeviceListState, _ content: Content, in size: TerminalSize) -> Drawing {
        if layout == .full, size.rows < 5 || size.columns < 20 {
            let text = TextWidth.cut("Enlarge the terminal.", to: size.columns)
            return Drawing(lines: [ScreenLine(text)], surroundings: .init(devices: content.order.devices, height: 1))
        }
        // In a low terminal, the list needs lines more than the help does.
        let footer = footer(state, content, size.columns).prefix(max(1, size.rows - 4))
        let height = layout == .full ? size.rows - footer.count - 1 : max(2, size.rows - 1) - footer.count
        var drawing = body(&state, content, TerminalSize(columns: size.columns, rows: max(1, height)))
        if layout == .full {
            let blank = Array(repeating: ScreenLine(), count: max(0, height - drawing.lines.count))
            drawing.lines = [ScreenLine(status(state, content), .bold)] + drawing.lines.prefix(height) + blank
        }
        drawing.lines += footer
        return drawing
    }

    /// Returns all devices without regard to the height of the terminal, for the end of a scan.
    func all(_ content: Content, columns: Int) -> [ScreenLine] {
        guard !content.order.devices.isEmpty else { return [] }
        return rows(content.order.devices, content, selected: nil, columns)
    }

    // MARK: Body

    private func body(_ state: inout DeviceListState, _ content: Content, _ size: TerminalSize) -> Drawing {
        switch state.pane {
        case .list: return list(&state, content, size)
        case .tree: return pane(content.tree, state, content, size)
        case .details:
            return pane(details(state, content, size.columns), state, content, size)
        }
    }

    private func details(_ state: DeviceListState, _ content: Content, _ columns: Int) -> [ScreenLine] {
        guard let entry = state.selected.flatMap({ content.board[$0] }) else {
            return [ScreenLine("The device is no longer in the list.")]
        }
        return AdvertisementDetails(entry, at: content.now, isUnicode: isUnicode).lines(in: columns)
    }

    private func pane(
        _ lines: [ScreenLine], _ state: DeviceListState, _ content: Content, _ size: TerminalSize
    ) -> Drawing {
        let top = min(state.paneTop, max(0, lines.count - size.rows))
        return Drawing(
            lines: Self.cut(Array(lines[top...]), to: size.rows),
            surroundings: .init(
                devices: content.order.devices, height: size.rows, paneLines: lines.count, opensTree: layout == .full))
    }

    /// Returns the first lines. If there are more, the last one says how many.
    private static func cut(_ lines: [ScreenLine], to height: Int) -> [ScreenLine] {
        guard lines.count > height, height > 1 else { return Array(lines.prefix(height)) }
        let hidden = lines.count - height + 1
        return lines.prefix(height - 1) + [ScreenLine("… \(hidden) more lines", .dim)]
    }

    private func list(_ state: inout DeviceListState, _ content: Content, _ size: TerminalSize) -> Drawing {
        var details: [ScreenLine] = []
        if layout == .full, state.selected != nil, size.rows >= 10 {
            let rule = ScreenLine(String(repeating: isUnicode ? "─" : "-", count: size.columns), .dim)
            details = [rule] + Self.cut(self.details(state, content, size.columns), to: size.rows / 2)
        }
        var height = max(0, size.rows - details.count - 1)
        // Without a keyboard, the last line says how many devices do not fit.
        let isCut = !hasKeyboard && content.order.devices.count > height
        if isCut { height = max(0, height - 1) }
        let window = state.window(of: content.order.devices, height: height)
        var lines = rows(Array(content.order.devices[window]), content, selected: state.selected, size.columns)
        if isCut { lines.append(ScreenLine("and \(content.order.devices.count - window.count) more")) }
        if !details.isEmpty {
            lines += Array(repeating: ScreenLine(), count: max(0, size.rows - details.count - lines.count)) + details
        }
        return Drawing(
            lines: lines,
            surroundings: .init(devices: content.order.devices, height: height, opensTree: layout == .full))
    }

    private func rows(
        _ devices: [BluetoothAddress], _ content: Content, selected: BluetoothAddress?, _ columns: Int
    ) -> [ScreenLine] {
        let rows = devices.compactMap { address in
            content.board[address].map {
                DeviceTableLayout.Row(
                    $0, rssi: content.order.rssi(of: $0), at: content.now, isSelected: address == selected)
            }
        }
        return table(in: columns).lines(rows, in: columns, isUnicode: isUnicode)
    }

    // MARK: Status and help

    private func status(_ state: DeviceListState, _ content: Content) -> String {
        let (shown, total) = (content.order.devices.count, content.board.entries.count)
        let noun = total == 1 ? "device" : "devices"
        var parts = [state.filter.isEmpty ? "\(total) \(noun)" : "\(shown) of \(total) \(noun)"]
        if layout == .full {
            parts.insert("ble-cli top", at: 0)
            if let rate = content.order.rate { parts.append("\(NumberColumn.rate(rate)) adv/s") }
        }
        if let obstacle = content.obstacle { parts.append("waiting: \(obstacle)") }
        if state.isPaused { parts.append("paused") }
        parts.append("by \(state.sort.rawValue)")
        if !state.filter.isEmpty, !state.isEditingFilter { parts.append("filter “\(Sanitiser.clean(state.filter))”") }
        return parts.joined(separator: "  ")
    }

    private func footer(_ state: DeviceListState, _ content: Content, _ columns: Int) -> [ScreenLine] {
        guard hasKeyboard else {
            guard layout == .table, let obstacle = content.obstacle else { return [] }
            return [ScreenLine("waiting: \(obstacle)", .dim)]
        }
        if state.isEditingFilter { return [ScreenLine(filterLine(state, columns))] }
        if state.showsHelp {
            return Self.flow(help(state), in: columns).map { ScreenLine($0, .dim) }
        }
        let keys = state.pane == .list ? ["? keys", "q quit"] : ["Esc back", "? keys", "q quit"]
        let status = layout == .table ? [status(state, content)] : []
        return [ScreenLine((status + keys).joined(separator: "  "), .dim)]
    }

    private func help(_ state: DeviceListState) -> [String] {
        let common = ["p pause", "? hide this", "q quit"]
        guard state.pane == .list else { return ["arrows or j k scroll", "Esc back"] + common }
        let open = layout == .full ? "Enter connect and show services" : "Enter show details"
        return ["arrows or j k select", open, "s order", "/ filter", "Esc deselect"] + common
    }

    /// Returns the line in which the user types the filter: its end, if it does not fit.
    private func filterLine(_ state: DeviceListState, _ columns: Int) -> String {
        var text = Array(Sanitiser.clean(state.filter))
        let label = columns >= 50 ? "filter (Enter keeps, Esc clears): " : "filter: "
        let room = max(1, columns - label.count - 1)
        while TextWidth.of(String(text)) > room { text.removeFirst() }
        return label + String(text) + "_"
    }

    /// Returns items with gaps in lines of a width.
    private static func flow(_ items: [String], in columns: Int) -> [String] {
        var lines: [String] = []
        for item in items {
            if let last = lines.last, last.count + 2 + item.count <= columns {
                lines[lines.count - 1] = last + "  " + item
            } else {
                lines.append(item)
            }
        }
        return lines
    }
}
