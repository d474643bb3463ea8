/// What the completion script of bash needs beyond the one that the argument parser writes.
enum BashCompletion {
  /// True if the arguments ask for a script for bash.
  static func isAsked(_ arguments: [String]) -> Bool {
    guard let index = arguments.firstIndex(of: "--generate-completion-script") else {
      return arguments.contains("--generate-completion-script=bash")
    }
    let shell =
      index + 1 < arguments.count ? arguments[index + 1] : Terminal.environment("SHELL") ?? ""
    return shell == "bash" || shell.hasSuffix("/bash")
  }

  /// The end of the script.
  ///
  /// bash ends a word at each colon, so that `mark:dr` is three words, and the parser's script would
  /// not know the option before them: they are joined again. And bash leaves `$` and `)` in a name as
  /// they are, so that a shell would read `$(…)` in a name: such names are quoted here.
  static let ending = #"""

    _editlog_joined() {
        local -a words=()
        local rest="${COMP_LINE}" spaces word i cword=0
        for i in "${!COMP_WORDS[@]}"; do
            word="${COMP_WORDS[i]}"
            spaces="${rest%%[![:space:]]*}"
            rest="${rest#"${spaces}"}"
            rest="${rest#"${word}"}"
            if [[ -z "${spaces}" && "${#words[@]}" -gt 0 && ( "${word}" == :* || "${words[-1]}" == *: ) ]]; then
                words[-1]+="${word}"
            else
                words+=("${word}")
            fi
            [[ "${i}" -eq "${COMP_CWORD}" ]] && cword=$((${#words[@]} - 1))
        done
        local last="${COMP_WORDS[COMP_CWORD]}" cur="${words[cword]}" kept=
        if [[ "${cur}" != "${last}" ]]; then
            kept="${cur%"${last#:}"}"
        elif [[ -z "${2}" ]]; then
            # The word after the one at which the cursor is.
            cur=
        fi
        local -a COMP_WORDS=("${words[@]}")
        local COMP_CWORD="${cword}"
        _editlog "${1}" "${cur}" "${words[cword > 0 ? cword - 1 : 0]}"

        local reply isQuoted=0
        [[ "${cur}" != [\'\"]* && "${COMPREPLY[*]}" == *['$`()']* ]] && isQuoted=1 && compopt +o filenames
        for i in "${!COMPREPLY[@]}"; do
            reply="${COMPREPLY[i]#"${kept}"}"
            ((isQuoted)) && printf -v reply %q "${reply}"
            COMPREPLY[i]="${reply}"
        done
    }

    complete -o filenames -F _editlog_joined editlog
    """#
}
