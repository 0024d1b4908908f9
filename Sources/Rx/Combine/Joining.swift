/// How the elements of several streams meet.
enum Joining {
    /// The latest ones, at each element: `combineLatest`.
    case latest
    /// The first ones, then the second ones, until all streams completed: `zip` of two to eight.
    case inTurn
    /// As `inTurn`, until an element arrives that cannot be joined any more: `zip` of a collection.
    case inTurnWhilePossible

    /// Whether the result completes at an element that cannot be joined because all other streams ended.
    var endsEarly: Bool { self != .inTurn }
}

func joining<A, B, Result>(
    _ how: Joining, _ a: Observable<A>, _ b: Observable<B>,
    _ selector: @escaping @Sendable (A, B) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            let (a, b) = (hub.input(a, how), hub.input(b, how))
            return { try selector(a.take(), b.take()) }
        })
}

func joining<A, B, C, Result>(
    _ how: Joining, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>,
    _ selector: @escaping @Sendable (A, B, C) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            let (a, b, c) = (hub.input(a, how), hub.input(b, how), hub.input(c, how))
            return { try selector(a.take(), b.take(), c.take()) }
        })
}

func joining<A, B, C, D, Result>(
    _ how: Joining, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>,
    _ selector: @escaping @Sendable (A, B, C, D) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            let (a, b, c, d) = (hub.input(a, how), hub.input(b, how), hub.input(c, how), hub.input(d, how))
            return { try selector(a.take(), b.take(), c.take(), d.take()) }
        })
}

func joining<A, B, C, D, E, Result>(
    _ how: Joining, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
    _ selector: @escaping @Sendable (A, B, C, D, E) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            let (a, b, c, d, e) = (
                hub.input(a, how), hub.input(b, how), hub.input(c, how), hub.input(d, how), hub.input(e, how)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take()) }
        })
}

func joining<A, B, C, D, E, F, Result>(
    _ how: Joining, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
    _ f: Observable<F>,
    _ selector: @escaping @Sendable (A, B, C, D, E, F) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            let (a, b, c, d, e, f) = (
                hub.input(a, how), hub.input(b, how), hub.input(c, how), hub.input(d, how), hub.input(e, how),
                hub.input(f, how)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take(), f.take()) }
        })
}

func joining<A, B, C, D, E, F, G, Result>(
    _ how: Joining, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
    _ f: Observable<F>, _ g: Observable<G>,
    _ selector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            let (a, b, c, d, e, f, g) = (
                hub.input(a, how), hub.input(b, how), hub.input(c, how), hub.input(d, how), hub.input(e, how),
                hub.input(f, how), hub.input(g, how)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take(), f.take(), g.take()) }
        })
}

func joining<A, B, C, D, E, F, G, H, Result>(
    _ how: Joining, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>, _ e: Observable<E>,
    _ f: Observable<F>, _ g: Observable<G>, _ h: Observable<H>,
    _ selector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            let (a, b, c, d, e, f, g, h) = (
                hub.input(a, how), hub.input(b, how), hub.input(c, how), hub.input(d, how), hub.input(e, how),
                hub.input(f, how), hub.input(g, how), hub.input(h, how)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take(), f.take(), g.take(), h.take()) }
        })
}

func joining<Element, Result>(
    _ how: Joining, _ streams: [Observable<Element>], _ selector: @escaping @Sendable ([Element]) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { hub in
            hub.joinsNothing = how == .latest
            let stores = streams.map { hub.input($0, how) }
            return { try selector(stores.map { $0.take() }) }
        })
}
