import Rx
import Synchronization

@testable import ble_cli

/// Keys that a test presses.
final class ScriptedKeys: KeySource {
    private let subject = PublishSubject<TerminalKey>()
    private let counts = Mutex((opened: 0, closed: 0, suspended: 0))

    var opened: Int { counts.withLock { $0.opened } }
    var closed: Int { counts.withLock { $0.closed } }
    var suspended: Int { counts.withLock { $0.suspended } }

    func keys() -> Observable<TerminalKey> {
        Observable.create { [self] observer in
            counts.withLock { $0.opened += 1 }
            let subscription = subject.subscribe(onNext: { observer.on(.next($0)) })
            return Disposables.create { [self] in
                subscription.dispose()
                counts.withLock { $0.closed += 1 }
            }
        }
    }

    func suspend() { counts.withLock { $0.suspended += 1 } }

    /// Presses the keys of a terminal's bytes.
    func press(_ text: String) {
        var decoder = TerminalKeyDecoder()
        for byte in text.utf8 { if let key = decoder.add(byte) { subject.onNext(key) } }
        if let key = decoder.finish() { subject.onNext(key) }
    }
}

/// A terminal that interprets the control sequences of the live views, so that tests can compare what it shows.
struct EmulatedTerminal {
    private(set) var cells: [[Character]]
    private(set) var isAlternate = false
    private(set) var isCursorShown = true
    private(set) var row = 0
    private var column = 0
    private var wraps = true
    private let size: TerminalSize

    init(_ size: TerminalSize) {
        self.size = size
        cells = Array(repeating: [], count: size.rows)
    }

    /// The lines of the screen, without empty ones at the end.
    var lines: [String] {
        var lines = cells.map { String($0) }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    mutating func write(_ text: String) {
        var rest = Array(text)[...]
        while let character = rest.popFirst() {
            switch character {
            case "\u{1B}" where rest.first == "[":
                rest.removeFirst()
                var parameters = ""
                while let next = rest.popFirst() {
                    if next.isLetter {
                        interpret(parameters, next)
                        break
                    }
                    parameters.append(next)
                }
            case "\r": column = 0
            case "\n", "\r\n": newLine()
            default: put(character)
            }
        }
    }

    private mutating func newLine() {
        // The driver of a terminal adds a carriage return.
        column = 0
        if row == size.rows - 1 {
            cells.removeFirst()
            cells.append([])
        } else {
            row += 1
        }
    }

    private mutating func put(_ character: Character) {
        let width = TextWidth.of(character)
        if column + width > size.columns {
            if wraps { newLine() } else { column = size.columns - width }
        }
        while cells[row].count < column { cells[row].append(" ") }
        // A wide character takes two cells; the second one is empty in the text.
        if column < cells[row].count { cells[row][column] = character } else { cells[row].append(character) }
        column += width
    }

    private mutating func interpret(_ parameters: String, _ end: Character) {
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch (parameters, end) {
        case (_, "A"): row = max(0, row - (numbers.first ?? 1))
        case (_, "H"):
            row = min(size.rows - 1, (numbers.first ?? 1) - 1)
            column = numbers.count > 1 ? numbers[1] - 1 : 0
        case ("", "K"): cells[row] = Array(cells[row].prefix(min(column, size.columns - 1)))
        case ("", "J"):
            cells[row] = Array(cells[row].prefix(column))
            for below in cells.indices where below > row { cells[below] = [] }
        case ("2", "J"): cells = Array(repeating: [], count: size.rows)
        case ("?7", "l"): wraps = false
        case ("?7", "h"): wraps = true
        case ("?25", "l"): isCursorShown = false
        case ("?25", "h"): isCursorShown = true
        case ("?1049", "h"): isAlternate = true
        case ("?1049", "l"): isAlternate = false
        default: break
        }
    }
}
