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
        Observable(MulticastSelector(asObservable().source, { SubjectEnds(try subjectSelector()) }, selector))
    }
}

private final class MulticastSelector<Input, Middle, Output>: Source<Output> {
    private let upstream: Source<Input>
    private let makeSubject: () throws -> SubjectEnds<Input, Middle>
    private let selector: (Observable<Middle>) throws -> Observable<Output>

    init(
        _ upstream: Source<Input>, _ makeSubject: @escaping () throws -> SubjectEnds<Input, Middle>,
        _ selector: @escaping (Observable<Middle>) throws -> Observable<Output>
    ) {
        self.upstream = upstream
        self.makeSubject = makeSubject
        self.selector = selector
    }

    override func run(_ sink: Sink<Output>) {
        do {
            let subject = try makeSubject()
            let core = Multicast(upstream) { subject }
            let result = try selector(ConnectableObservable(core))
            let pass = MulticastSelectorSink(core, into: sink)
            result.source.connect(pass)
            pass.start()
        } catch {
            sink.error(error)
        }
    }
}

/// Passes the result on, and stops the run with it.
private final class MulticastSelectorSink<Middle, Output>: Sink<Output> {
    private let downstream: Sink<Output>
    private let core: ConnectableSource<Middle>
    private let ends = CompositeTeardown()

    init(_ core: ConnectableSource<Middle>, into downstream: Sink<Output>) {
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
