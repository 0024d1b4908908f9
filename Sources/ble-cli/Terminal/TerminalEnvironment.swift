import Glibc

/// What the environment says about the terminal.
enum TerminalEnvironment {
    /// Returns an environment variable; nil if it is not set.
    @Sendable
    static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

    /// Whether the locale has the encoding UTF-8. The first variable with a value decides, as in setlocale(3).
    static func isUnicode(variable: (String) -> String?) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        let locale = names.lazy.compactMap(variable).first { !$0.isEmpty }?.lowercased() ?? ""
        return locale.contains("utf-8") || locale.contains("utf8")
    }
}
