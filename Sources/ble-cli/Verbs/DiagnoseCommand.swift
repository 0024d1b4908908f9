import Rx
import RxBluetooth

/// Tells why nothing happens.
struct DiagnoseVerb: Verb {
    /// What is missing is what it tells.
    var needsAdapter: Bool { false }

    func run(in context: CommandContext) -> Observable<Never> {
        context.manager.diagnose().asObservable()
            .do(onNext: { diagnosis in
                if context.options.json {
                    try context.output.line(diagnosis.json(at: context.scheduler.now).text)
                } else {
                    for line in diagnosis.description.split(separator: "\n") {
                        try context.output.line(Sanitiser.clean(String(line)))
                    }
                }
                guard diagnosis.cause.isObstacle else { return }
                throw CLIError(
                    diagnosis.cause == .otherAdapters ? .notFound : .unavailable,
                    "Bluetooth cannot be used (\(diagnosis.cause.rawValue)).")
            })
            .ignoreElements()
    }
}
