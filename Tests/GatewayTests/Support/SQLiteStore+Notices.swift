@testable import Gateway

extension SQLiteStore {
    /// The notice that a damaged file was replaced.
    var replacement: DeliveryNotice? {
        notices.first { if case .storeReplaced = $0 { true } else { false } }
    }

    /// The notice about the messages of a damaged file.
    var recovery: (count: Int, lost: Int?)? {
        for notice in notices { if case .messagesRecovered(let count, let lost) = notice { return (count, lost) } }
        return nil
    }

    /// The notice of a damaged log or identity.
    var damage: DeliveryNotice? {
        notices.first { if case .storeDamaged = $0 { true } else { false } }
    }
}
