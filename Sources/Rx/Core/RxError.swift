/// The errors that operators produce themselves.
public enum RxError: Error, Sendable {
    /// An unexpected error.
    case unknown
    /// An object was used after it was disposed of.
    case disposed(object: any Sendable)
    /// A counter exceeded its largest value.
    case overflow
    /// The stream of `element(at:)` has no element at the index.
    case argumentOutOfRange
    /// The stream ended without the requested element.
    case noElements
    /// The stream has several elements, but at most one was expected.
    case moreThanOneElement
    /// No element arrived in time.
    case timeout
}

extension RxError: CustomDebugStringConvertible {
    /// A sentence that describes the error.
    public var debugDescription: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .disposed(let object): "Object `\(object)` was already disposed."
        case .overflow: "Arithmetic overflow occurred."
        case .argumentOutOfRange: "Argument out of range."
        case .noElements: "Sequence doesn't contain any elements."
        case .moreThanOneElement: "Sequence contains more than one element."
        case .timeout: "Sequence timeout."
        }
    }
}
