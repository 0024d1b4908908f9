extension ObservableType {
    /// One subscription shared by all subscribers; late ones get the last elements, also after the end.
    @available(*, deprecated, message: "Use share(replay:scope:) with the scope .forever instead.")
    public func shareReplay(_ bufferSize: Int) -> Observable<Element> { share(replay: bufferSize, scope: .forever) }

    /// One subscription shared by all subscribers; late ones get the last element while it lasts.
    @available(*, deprecated, message: "Use share(replay: 1) instead.")
    public func shareReplayLatestWhileConnected() -> Observable<Element> { share(replay: 1, scope: .whileConnected) }
}

extension Disposable {
    /// The earlier name of `disposed(by:)`.
    @available(*, deprecated, renamed: "disposed(by:)")
    public func addDisposableTo(_ bag: DisposeBag) { disposed(by: bag) }
}
