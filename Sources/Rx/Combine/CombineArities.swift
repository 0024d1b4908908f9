// A function with a parameter pack could replace these functions. Packs cost 2.4 to 3.8 times the instructions an
// event. Swift 6.3 also rejects `.map { $0.0 + $0.2 }` on a tuple of a pack.

func combine<A, B, Result>(
    _ mode: CombineMode, _ a: Observable<A>, _ b: Observable<B>,
    _ selector: @escaping @Sendable (A, B) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            let (a, b) = (sink.input(a, mode), sink.input(b, mode))
            return { try selector(a.take(), b.take()) }
        })
}

func combine<A, B, C, Result>(
    _ mode: CombineMode, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>,
    _ selector: @escaping @Sendable (A, B, C) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            let (a, b, c) = (sink.input(a, mode), sink.input(b, mode), sink.input(c, mode))
            return { try selector(a.take(), b.take(), c.take()) }
        })
}

func combine<A, B, C, D, Result>(
    _ mode: CombineMode, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>,
    _ selector: @escaping @Sendable (A, B, C, D) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            let (a, b, c, d) = (sink.input(a, mode), sink.input(b, mode), sink.input(c, mode), sink.input(d, mode))
            return { try selector(a.take(), b.take(), c.take(), d.take()) }
        })
}

func combine<A, B, C, D, E, Result>(
    _ mode: CombineMode, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>,
    _ e: Observable<E>,
    _ selector: @escaping @Sendable (A, B, C, D, E) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            let (a, b, c, d, e) = (
                sink.input(a, mode), sink.input(b, mode), sink.input(c, mode), sink.input(d, mode), sink.input(e, mode)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take()) }
        })
}

func combine<A, B, C, D, E, F, Result>(
    _ mode: CombineMode, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>,
    _ e: Observable<E>,
    _ f: Observable<F>,
    _ selector: @escaping @Sendable (A, B, C, D, E, F) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            let (a, b, c, d, e, f) = (
                sink.input(a, mode), sink.input(b, mode), sink.input(c, mode), sink.input(d, mode), sink.input(e, mode),
                sink.input(f, mode)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take(), f.take()) }
        })
}

func combine<A, B, C, D, E, F, G, Result>(
    _ mode: CombineMode, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>,
    _ e: Observable<E>,
    _ f: Observable<F>, _ g: Observable<G>,
    _ selector: @escaping @Sendable (A, B, C, D, E, F, G) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            let (a, b, c, d, e, f, g) = (
                sink.input(a, mode), sink.input(b, mode), sink.input(c, mode), sink.input(d, mode), sink.input(e, mode),
                sink.input(f, mode), sink.input(g, mode)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take(), f.take(), g.take()) }
        })
}

func combine<A, B, C, D, E, F, G, H, Result>(
    _ mode: CombineMode, _ a: Observable<A>, _ b: Observable<B>, _ c: Observable<C>, _ d: Observable<D>,
    _ e: Observable<E>,
    _ f: Observable<F>, _ g: Observable<G>, _ h: Observable<H>,
    _ selector: @escaping @Sendable (A, B, C, D, E, F, G, H) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            let (a, b, c, d, e, f, g, h) = (
                sink.input(a, mode), sink.input(b, mode), sink.input(c, mode), sink.input(d, mode), sink.input(e, mode),
                sink.input(f, mode), sink.input(g, mode), sink.input(h, mode)
            )
            return { try selector(a.take(), b.take(), c.take(), d.take(), e.take(), f.take(), g.take(), h.take()) }
        })
}

func combine<Element, Result>(
    _ mode: CombineMode, _ streams: [Observable<Element>], _ selector: @escaping @Sendable ([Element]) throws -> Result
) -> Observable<Result> {
    Observable(
        Combine { sink in
            sink.emitsForNoInputs = mode == .latest
            let buffers = streams.map { sink.input($0, mode) }
            return { try selector(buffers.map { $0.take() }) }
        })
}
