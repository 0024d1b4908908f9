public import Rx

/// Events are equal if their kinds and elements are equal. Errors are compared by their description.
extension Event: Equatable where Element: Equatable {
    /// Whether the kinds and the contents are equal.
    public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.next(let left), .next(let right)): left == right
        case (.error(let left), .error(let right)): "\(left)" == "\(right)"
        case (.completed, .completed): true
        default: false
        }
    }
}

/// Outcomes of a `Single` are equal if their elements or the descriptions of their errors are equal.
public func == <Element: Equatable>(lhs: SingleEvent<Element>, rhs: SingleEvent<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.success(let left), .success(let right)): left == right
    case (.failure(let left), .failure(let right)): "\(left)" == "\(right)"
    default: false
    }
}

/// Outcomes are equal if their kinds and elements are equal. Errors are compared by their description.
extension MaybeEvent: Equatable where Element: Equatable {
    /// Whether the kinds and the contents are equal.
    public static func == (lhs: MaybeEvent<Element>, rhs: MaybeEvent<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.success(let left), .success(let right)): left == right
        case (.error(let left), .error(let right)): "\(left)" == "\(right)"
        case (.completed, .completed): true
        default: false
        }
    }
}

/// Outcomes are equal if their kinds are equal. Errors are compared by their description.
extension CompletableEvent: Equatable {
    /// Whether the kinds and the contents are equal.
    public static func == (lhs: CompletableEvent, rhs: CompletableEvent) -> Bool {
        switch (lhs, rhs) {
        case (.error(let left), .error(let right)): "\(left)" == "\(right)"
        case (.completed, .completed): true
        default: false
        }
    }
}
