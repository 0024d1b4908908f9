import RxBluetooth

/// What a live list of devices shows: order, filter, selection and pane. A pure value: keys change it.
struct DeviceListState: Sendable {
    enum Pane: Equatable, Sendable {
        case list
        /// The advertisement of the selected device in detail.
        case details
        /// The GATT tree of the selected device.
        case tree
    }

    /// What the view has to do after a key.
    enum Outcome: Equatable, Sendable {
        case redraw
        /// Draw the whole screen again, because other text may be on it.
        case clear
        case quit
        case suspend
        /// Connect to a device, and show its GATT tree.
        case openTree(BluetoothAddress)
        /// End the connection of the GATT tree.
        case closeTree
    }

    /// The devices and the size of the list, which decide what a key does.
    struct Surroundings: Sendable {
        /// The shown devices in their order.
        var devices: [BluetoothAddress]
        /// The number of lines of the list or pane.
        var height: Int
        /// The number of lines that the pane could show.
        var paneLines = 0
        /// Whether Enter connects to the device, instead of showing its advertisement.
        var opensTree = false
    }

    var sort: DeviceSort
    private(set) var pane = Pane.list
    private(set) var selected: BluetoothAddress?
    private(set) var isPaused = false
    private(set) var showsHelp = false
    /// The first shown line of the list.
    private(set) var top = 0
    /// The first shown line of the pane.
    private(set) var paneTop = 0
    private var filterEditor = LineEditor()
    private(set) var isEditingFilter = false
    private var finishedFilter = ""

    init(sort: DeviceSort) { self.sort = sort }

    /// The text that shown devices contain. It has an effect while the user types it.
    var filter: String { isEditingFilter ? String(filterEditor.text) : finishedFilter }

    mutating func press(_ key: TerminalKey, in surroundings: Surroundings) -> Outcome {
        switch key {
        case .interrupt: return .quit
        case .suspend: return .suspend
        case .clearScreen: return .clear
        default: break
        }
        if isEditingFilter {
            editFilter(key)
            return .redraw
        }
        if let outcome = pressCommon(key) { return outcome }
        return pane == .list ? pressInList(key, surroundings) : pressInPane(key, surroundings)
    }

    // MARK: Keys

    /// Handles a key that has the same effect everywhere; nil for other keys.
    private mutating func pressCommon(_ key: TerminalKey) -> Outcome? {
        switch key {
        case .character("q"), .character("Q"), .endOfInput: return .quit
        case .character("?"): showsHelp.toggle()
        case .character("p"), .character(" "): isPaused.toggle()
        case .escape where showsHelp: showsHelp = false
        default: return nil
        }
        return .redraw
    }

    private mutating func pressInList(_ key: TerminalKey, _ surroundings: Surroundings) -> Outcome {
        let page = max(1, surroundings.height - 1)
        switch key {
        case .character("s"): sort = sort.next
        case .character("/"):
            filterEditor = LineEditor()
            filterEditor.replaceBeforeCursor(with: finishedFilter)
            isEditingFilter = true
        case .down, .character("j"): move(by: 1, surroundings)
        case .up, .character("k"): move(by: -1, surroundings)
        case .pageDown: move(by: page, surroundings)
        case .pageUp: move(by: -page, surroundings)
        case .home, .character("g"): move(by: -surroundings.devices.count, surroundings)
        case .end, .character("G"): move(by: surroundings.devices.count, surroundings)
        case .enter: return open(surroundings)
        case .escape:
            // The latest step is undone first: the selection, and then the filter.
            if selected != nil { selected = nil } else { finishedFilter = "" }
        default: break
        }
        return .redraw
    }

    private mutating func pressInPane(_ key: TerminalKey, _ surroundings: Surroundings) -> Outcome {
        let page = max(1, surroundings.height - 1)
        let last = max(0, surroundings.paneLines - surroundings.height)
        switch key {
        case .down, .character("j"): paneTop += 1
        case .up, .character("k"): paneTop -= 1
        case .pageDown: paneTop += page
        case .pageUp: paneTop -= page
        case .home, .character("g"): paneTop = 0
        case .end, .character("G"): paneTop = last
        case .escape, .enter, .left, .backspace:
            let wasTree = pane == .tree
            pane = .list
            return wasTree ? .closeTree : .redraw
        default: break
        }
        paneTop = min(max(0, paneTop), last)
        return .redraw
    }

    private mutating func open(_ surroundings: Surroundings) -> Outcome {
        guard let device = selected ?? surroundings.devices.first else { return .redraw }
        selected = device
        showsHelp = false
        paneTop = 0
        pane = surroundings.opensTree ? .tree : .details
        return surroundings.opensTree ? .openTree(device) : .redraw
    }

    private mutating func editFilter(_ key: TerminalKey) {
        switch key {
        case .escape:
            isEditingFilter = false
            finishedFilter = ""
        case .up, .down, .tab: break
        default:
            switch filterEditor.press(key) {
            case .line(let text):
                finishedFilter = text.trimmed
                isEditingFilter = false
            case .cancelled, .endOfInput: isEditingFilter = false
            case .editing, .completing, .clearing, .suspending: break
            }
        }
        top = 0
    }

    // MARK: Selection

    private mutating func move(by step: Int, _ surroundings: Surroundings) {
        let devices = surroundings.devices
        guard !devices.isEmpty else { return }
        guard let selected, let place = devices.firstIndex(of: selected) else {
            // The first key selects a device that is on the screen.
            self.selected = devices[step > devices.count - 1 ? devices.count - 1 : min(top, devices.count - 1)]
            return
        }
        self.selected = devices[min(max(0, place + step), devices.count - 1)]
    }

    /// Returns the lines of a list that are shown, and scrolls so that the selection is one of them.
    mutating func window(of devices: [BluetoothAddress], height: Int) -> Range<Int> {
        let height = max(0, height)
        if let selected, let place = devices.firstIndex(of: selected) {
            top = min(max(top, place - height + 1), place)
        }
        top = max(0, min(top, devices.count - height))
        return top..<min(devices.count, top + height)
    }
}
