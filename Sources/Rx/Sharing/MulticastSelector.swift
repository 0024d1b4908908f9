extension ObservableType {
    /// What the selector makes of the stream through a subject that is made for each subscription.
    ///
    /// Within the selector the stream may be used several times; it is subscribed to once, after the result of the
    /// selector was. An error that either closure throws is an error of the stream.
    @preconcurrency
    public func multicast<Subject: SubjectType, Result>(
        _ subjectSelector: @escaping @Sendable () throws -> Subject,
        selector: @escaping @Sendable (Observable<Subject.Element>) throws -> Observable<Result>
    ) -> Observable<Result> where Subject.Observer.Element == Element {
        Observable(Selected(asObservable().source, { Joint(try subjectSelector()) }, selector))
    }
}

private final class Selected<Input, Middle, Output>: Source<Output> {
    private let upstream: Source<Input>
    private let makeJoint: () throws -> Joint<Input, Middle>
    private let selector: (Observable<Middle>) throws -> Observable<Output>

    init(
        _ upstream: Source<Input>, _ makeJoint: @escaping () throws -> Joint<Input, Middle>,
        _ selector: @escaping (Observable<Middle>) throws -> Observable<Output>
    ) {
        self.upstream = upstream
        self.makeJoint = makeJoint
        self.selector = selector
    }

    override func run(_ sink: Sink<Output>) {
        do {
            let joint = try makeJoint()
            let core = Multicast(upstream) { joint }
            let result = try selector(ConnectableObservable(core))
            let pass = SelectedSink(core, into: sink)
            result.source.connect(pass)
            pass.start()
        } catch {
            sink.error(error)
        }
    }
}

/// Passes the result on, and stops the run with it.
private final class SelectedSink<Middle, Output>: Sink<Output> {
    private let downstream: Sink<Output>
    private let core: ConnectableCore<Middle>
    private let ends = Group()

    init(_ core: ConnectableCore<Middle>, into downstream: Sink<Output>) {
        self.core = core
        self.downstream = downstream
        super.init()
        downstream.attach(ends)
        ends.add(self)
    }

    func start() { if isLive { ends.add(core.start()) } }

    override func next(_ value: Output) { if isLive { downstream.next(value) } }

    override func error(_ error: any Error) {
        guard markStopped() else { return }
        downstream.error(error)
        ends.dispose()
    }

    override func completed() {
        guard markStopped() else { return }
        downstream.completed()
        ends.dispose()
    }
}
