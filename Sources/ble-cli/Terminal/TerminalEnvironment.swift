import Glibc

/// What the environment says about the terminal.
enum TerminalEnvironment {
    /// Returns an environment variable; nil if it is not set.
    @Sendable
    static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

    /// Whether a terminal gets characters besides ASCII: the locale has the encoding UTF-8, or there is no locale.
    ///
    /// The first variable with a value decides, as in setlocale(3). Without one, for example in a container, UTF-8 is
    /// assumed.
    static func isUnicode(variable: (String) -> String?) -> Bool {
        let names = ["LC_ALL", "LC_CTYPE", "LANG"]
        guard let locale = names.lazy.compactMap(variable).first(where: { !$0.isEmpty })?.lowercased() else {
            return true
        }
        return locale.contains("utf-8") || locale.contains("utf8")
    }
}
