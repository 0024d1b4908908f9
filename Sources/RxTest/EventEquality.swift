public import Rx

/// Events are equal when their kinds and elements are. Errors are compared by their description, as they are `any Error`.
extension Event: Equatable where Element: Equatable {
    /// Whether both say the same.
    public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
        switch (lhs, rhs) {
        case (.next(let left), .next(let right)): left == right
        case (.error(let left), .error(let right)): "\(left)" == "\(right)"
        case (.completed, .completed): true
        default: false
        }
    }
}
