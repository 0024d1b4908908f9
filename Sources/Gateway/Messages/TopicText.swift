import RxBluetoothSupport

/// Makes levels of topics from names, which devices choose freely.
enum TopicText {
    private static let maximumBytes = 64

    /// Returns a text that is one level of a topic, without wildcards, separators, braces and invisible characters.
    static func level(_ text: String) -> String {
        var level = ""
        for scalar in text.unicodeScalars {
            let isForbidden = "/+#{}".unicodeScalars.contains(scalar) || scalar.isHarmful
            guard level.utf8.count + UTF8.width(scalar) <= maximumBytes else { break }
            level.unicodeScalars.append(isForbidden ? "_" : scalar)
        }
        // Topics that begin with a dollar sign belong to the broker.
        if level.hasPrefix("$") { level = "_" + level.dropFirst() }
        return level.isEmpty ? "_" : level
    }
}
