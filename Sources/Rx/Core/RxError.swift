/// The errors that operators make themselves.
public enum RxError: Error, Sendable {
    /// Something unexpected.
    case unknown
    /// Use of something after it was disposed of.
    case disposed(object: any Sendable)
    /// A counter went over its largest value.
    case overflow
    /// An index lies outside the stream: `element(at:)`.
    case argumentOutOfRange
    /// The stream ended without the element asked for.
    case noElements
    /// The stream had several elements where one was asked for.
    case moreThanOneElement
    /// Nothing came in time.
    case timeout
}

extension RxError: CustomDebugStringConvertible {
    /// One sentence on the error.
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
