import Rx
import RxTest
import XCTest

private class Store {
    var count = 0
}

/// A view model on the main actor, in Swift 5 mode.
///
/// Its closures use its own state, and state that is not `Sendable`.
@MainActor
private final class ViewModel {
    private let bag = DisposeBag()
    private let store = Store()
    var title = ""
    var titles: [String] = []

    func bind(_ names: Observable<String>) {
        names
            .map { [weak self] name in "\(self?.titles.count ?? 0) \(name)" }
            .do(onNext: { self.store.count += $0.count })
            .subscribe(
                onNext: { [weak self] title in
                    self?.title = title
                    self?.append(title)
                })
            .disposed(by: bag)
        names.subscribe(with: self, onNext: { model, name in model.append(name) }).disposed(by: bag)
    }

    func append(_ title: String) { titles.append(title) }
}

final class MainActorTests: XCTestCase {
    @MainActor
    func testAViewModel() async {
        let model = ViewModel()
        let names = PublishSubject<String>()
        model.bind(names)
        names.onNext("ann")
        XCTAssertEqual(model.title, "0 ann")
        XCTAssertEqual(model.titles, ["0 ann", "ann"])
    }

    @MainActor
    func testLocalStateOfTheMainActor() async {
        var heard: [Int] = []
        let store = Store()
        let subscription = Observable.of(1, 2).subscribe(onNext: { value in
            heard.append(value)
            store.count += value
        })
        subscription.dispose()
        XCTAssertEqual(heard, [1, 2])
        XCTAssertEqual(store.count, 3)
    }
}
