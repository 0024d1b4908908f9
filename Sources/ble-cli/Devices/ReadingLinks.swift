import RxBluetooth

/// The rules by which the links of a ``TreeReading`` replace each other.
struct ReadingLinks {
    /// Why a link executes no more operations.
    enum End: Equatable {
        /// A pairing was refused, so bluetoothd executes no more operations of the link.
        case stalled(BluetoothError)
        /// Reading a value has ended the link.
        case lost(BluetoothError)
    }

    /// What follows an error of reading a value.
    enum Consequence: Equatable {
        /// The error is shown instead of the value.
        case shown(BluetoothError)
        /// The value is read again over another link.
        case replacement
        /// The work ends with the error.
        case failure
    }

    /// The most links that replace stalled and lost ones. Each takes about 3 s.
    private static let mostSpare = 8
    /// The shortest time before the deadline in which a link is replaced.
    private static let replacing = Duration.seconds(4)

    /// The detail of ``obstacle`` if values have ended several links, and the cause is not known.
    static let lossDetail = "Reading other values has ended the link"

    /// The number of links that may still replace stalled and lost ones.
    private var spare = mostSpare
    /// The number of links that values have ended.
    private var losses = 0
    /// The number of links in succession on which no value was read, because bluetoothd may pair by itself.
    ///
    /// It begins that pairing on each link, so it also stalls the next one. One such link may have another cause: the
    /// value itself.
    private var unusable = 0
    /// Whether the latest value got no reply in time, so that later ones may wait for it.
    private var isWaiting = false
    /// Why the present link executes no more operations; nil if it does.
    ///
    /// A loss stays until the next link reads values, because a link may be lost before.
    private(set) var end: End?
    /// Why no further value is read; nil if values are read.
    private(set) var obstacle: BluetoothError?

    /// Whether no link was replaced yet.
    var isFirst: Bool { spare == Self.mostSpare }

    var isStalled: Bool { if case .stalled? = end { true } else { false } }

    /// The error of the value that has ended the link; nil if none has.
    var loss: BluetoothError? { if case .lost(let error)? = end { error } else { nil } }

    /// Whether another link can replace the present one.
    ///
    /// - Parameter remaining: The time until the deadline of the command; nil if it has none.
    func canReplace(in remaining: Duration?) -> Bool {
        if let remaining, remaining < Self.replacing { return false }
        return spare > 0
    }

    /// Records that values are read over the present link.
    mutating func beginReading() {
        if loss != nil { end = nil }
    }

    /// Records that a value was read.
    mutating func succeed() {
        isWaiting = false
        unusable = 0
    }

    /// Records an error of reading a value, and returns what follows.
    ///
    /// - Parameter remaining: The time until the deadline of the command; nil if it has none.
    mutating func fail(_ error: BluetoothError, in remaining: Duration?) -> Consequence {
        switch error.kind {
        case .disconnected where loss == nil && canReplace(in: remaining) && error.isOfValue:
            end = .lost(error)
            return .shown(error)
        case .disconnected, .notConnected, .daemonUnavailable, .busUnavailable, .closed: return .failure
        case .connectionStalled where canReplace(in: remaining): return .replacement
        default:
            if error.kind.stallsLink, loss == nil {
                if end == nil, error.isOfPairingByBluetoothd { unusable += 1 }
                end = .stalled(error)
            }
            defer { isWaiting = error.kind == .timedOut }
            return .shown(isWaiting ? error.referringToEarlierValue : error)
        }
    }

    /// Records that a link replaces the present one.
    ///
    /// - Parameters:
    ///   - end: Why the present link executes no more operations.
    ///   - isShared: Whether another program still has the stalled link, so that it stays stalled.
    mutating func replace(after end: End, isShared: Bool) {
        isWaiting = false
        spare -= 1
        switch end {
        case .stalled(let error) where isShared || unusable > 1:
            // The error of an attribute is not that of the next one, except for its kind.
            stopReading(detail: error.detail)
        case .stalled: self.end = nil
        case .lost(let error):
            losses += 1
            // If the cause is not known, only one link follows that reads values. The last link shows the rest of the
            // tree without values.
            let isKnown = error.kind == .disconnected(.authentication)
            guard spare == 0 || !isKnown && losses > 1 else { return }
            stopReading(detail: Self.lossDetail)
            // No link follows if the last one is lost before it is used.
            self.end = nil
        }
    }

    private mutating func stopReading(detail: String?) {
        spare = 0
        obstacle = BluetoothError(.connectionStalled, detail: detail)
    }
}

extension BluetoothError {
    /// Whether reading a value may have ended the link.
    ///
    /// It has not if another program may have closed the link, or if a pairing that no value needs may have ended it.
    fileprivate var isOfValue: Bool {
        isPairingSuspected && !isLinkShared && !isOfPairingByBluetoothd && pairingClue != .duringPairing
    }

    /// The error of a missing reply after an earlier one, which may not be due to the value itself.
    fileprivate var referringToEarlierValue: BluetoothError {
        guard kind == .timedOut, detail == nil else { return self }
        return BluetoothError(
            kind, operation: operation, target: target,
            detail: "An earlier value has no reply either, and a peripheral executes one request at a time",
            dbusName: dbusName, dbusMessage: dbusMessage)
    }
}
