import Rx
import Testing

/// Forms of RxSwift's documentation that have to compile in Swift 6 mode without a warning.
struct UserFormsTests {
    @MainActor private final class Label {
        var text = ""
    }

    @MainActor @Test func `A binder sets a property of an object of the main actor`() {
        let label = Label()
        let text = Binder<String>(label) { label, text in label.text = text }
        _ = Observable.just("on the main actor").bind(to: text)
        #expect(label.text == "on the main actor")
    }

    @Test func `An operator of a program is written with create and subscribe`() {
        let seen = Guarded<[Int]>([])
        _ = Observable.of(1, 2, 3).everySecond().subscribe(onNext: { value in seen.withLock { $0.append(value) } })
        #expect(seen.withLock { $0 } == [2])
        let words = Guarded(0)
        _ = Observable.of(Word("a"), Word("b")).everySecond().subscribe(onNext: { _ in words.withLock { $0 += 1 } })
        #expect(words.withLock { $0 } == 1)
    }
}

/// An element that is not `Sendable`.
private final class Word {
    var text: String
    init(_ text: String) { self.text = text }
}

extension ObservableType {
    /// Forwards the second element, the fourth, and so on.
    fileprivate func everySecond() -> Observable<Element> {
        Observable.create { observer in
            let count = Guarded(0)
            return self.subscribe { event in
                switch event {
                case .next(let element):
                    let isEven = count.withLock { count in
                        count += 1
                        return count.isMultiple(of: 2)
                    }
                    if isEven { observer.onNext(element) }
                case .error(let error): observer.onError(error)
                case .completed: observer.onCompleted()
                }
            }
        }
    }
}
