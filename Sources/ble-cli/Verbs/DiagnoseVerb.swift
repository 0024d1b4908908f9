import Rx
import RxBluetooth

/// Tells why nothing happens.
struct DiagnoseVerb: Verb {
    /// What is missing is what it tells.
    var needsAdapter: Bool { false }

    func run(in session: Session) -> Observable<Never> {
        session.manager.diagnose().asObservable()
            .do(onNext: { diagnosis in
                if session.options.json {
                    try session.output.line(diagnosis.json(at: session.scheduler.now).text)
                } else {
                    for line in diagnosis.description.split(separator: "\n") {
                        try session.output.line(Sanitiser.clean(String(line)))
                    }
                }
                guard diagnosis.cause.isObstacle else { return }
                throw Failure(
                    diagnosis.cause == .otherAdapters ? .notFound : .unavailable,
                    "Bluetooth cannot be used (\(diagnosis.cause.rawValue)).")
            })
            .ignoreElements()
    }
}
