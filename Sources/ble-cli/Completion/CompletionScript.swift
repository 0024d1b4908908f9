/// Completes what swift-argument-parser generates as the completion script of a shell.
enum CompletionScript {
    /// The last line of the script for bash.
    private static let registration = "complete -o filenames -F _ble-cli ble-cli"

    /// Returns the script for bash with support for words that contain colons; any other text is unchanged.
    static func adapted(_ text: String) -> String {
        guard text.hasSuffix(registration) else { return text }
        // A file of completions is read by a shell that runs already, so it has no line that names a program.
        let script = text.hasPrefix("#!/bin/bash\n") ? String(text.dropFirst("#!/bin/bash\n".count)) : text
        return script.dropLast(registration.count) + wholeWords
            + "complete -o filenames -F _ble-cli_whole_words ble-cli"
    }

    /// bash splits a word at the characters of COMP_WORDBREAKS, for example at the colons of an address.
    ///
    /// The function joins the parts, calls the generated function, and removes the parts before the last one from the
    /// replies, because bash replaces only the last part. It prevents backslashes in addresses.
    private static let wholeWords = #"""
        _ble-cli_whole_words() {
            local rest="${COMP_LINE}" part head='' reply last="${COMP_WORDS[COMP_CWORD]}"
            local -a joined=()
            local -i index cword=0 are_addresses=1
            for index in "${!COMP_WORDS[@]}"; do
                part="${COMP_WORDS[index]}"
                if [[ "${#joined[@]}" -eq 0 || "${rest}" = [[:space:]]* ]]; then
                    joined+=("${part}")
                    [[ "${index}" -le "${COMP_CWORD}" ]] && head=''
                else
                    joined[${#joined[@]}-1]+="${part}"
                fi
                rest="${rest#"${rest%%[![:space:]]*}"}"
                rest="${rest#"${part}"}"
                [[ "${index}" -lt "${COMP_CWORD}" ]] && head+="${part}"
                [[ "${index}" -eq "${COMP_CWORD}" ]] && cword=$((${#joined[@]} - 1))
            done
            local -a COMP_WORDS=("${joined[@]}")
            local -i COMP_CWORD="${cword}"
            # After a colon, the part is the colon itself, and bash replaces nothing.
            local current="${2}"
            [[ -n "${last}" && "${last}" != *[^:=@]* ]] && head+="${last}" && current=''
            _ble-cli "${1}" "${head}${current}" "${COMP_WORDS[cword > 0 ? cword - 1 : 0]}"
            head="${head//\\/}"
            for index in "${!COMPREPLY[@]}"; do
                reply="${COMPREPLY[index]}"
                [[ "${reply}" =~ ^([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}$ ]] || are_addresses=0
                COMPREPLY[index]="${reply#"${head}"}"
            done
            [[ "${#COMPREPLY[@]}" -gt 0 && "${are_addresses}" -eq 1 ]] && compopt +o filenames 2> /dev/null
            return 0
        }


        """#
}
