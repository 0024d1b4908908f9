import Rx
import RxBluetooth
import Synchronization

/// Counts what the output was too slow for, and prints the number when a command ends.
///
/// The library drops scan results and notified values if too many of them wait, see ``ScanBuffer``. Typically the
/// output is a pipe with a slow reader.
final class DropNotes: Sendable {
    private let count = Atomic<Int>(0)
    private let context: CommandContext

    init(_ context: CommandContext) { self.context = context }

    /// Counts what is dropped. Never ends by itself.
    var counting: Observable<Never> {
        context.manager.events
            .do(onNext: { [self] event in
                switch event.kind {
                case .scanResultsDropped(let number, _): count.add(number, ordering: .relaxed)
                case .valueDropped: count.add(1, ordering: .relaxed)
                default: break
                }
            })
            .ignoreElements()
    }

    /// Prints the number, unless it is 0.
    ///
    /// - Parameter what: What was dropped, in the plural.
    func print(_ what: String) {
        let count = count.load(ordering: .relaxed)
        guard count > 0 else { return }
        context.note("\(count) \(what) are left out, because the output was too slow for them.")
    }
}

extension ObservableType where Element: Sendable {
    /// Returns the same stream, which prints at its end, also if it is interrupted, how much was dropped.
    func notingDrops(of what: String, in context: CommandContext) -> Observable<Element> {
        .deferred {
            let notes = DropNotes(context)
            return self.alongside(notes.counting).do(onDispose: { notes.print(what) })
        }
    }
}
