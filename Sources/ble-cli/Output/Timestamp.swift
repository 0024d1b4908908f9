import FoundationEssentials

/// Times in the format of RFC 3339, in UTC with milliseconds: `2026-03-14T15:09:26.535Z`.
enum Timestamp {
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    static func text(_ time: Date) -> String { time.formatted(style) }
}
