import ArgumentParser

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
  /// not know the option before them: they are joined again; and `--at=x` becomes `--at x`. Options
  /// before the verb are moved after it, as `LeadingOptions` does, and offered. And bash leaves `$` and
  /// `)` in a name as they are, so that a shell would read `$(…)` in a name: such names are quoted here.
  static var ending: String {
    let valued = LeadingOptions.valued.sorted()
    let flags = LeadingOptions.flags.sorted()
    let verbs = EditLogCommand.configuration.subcommands
    let groups = verbs.filter { !$0.configuration.subcommands.isEmpty }
    func names(_ verbs: [any ParsableCommand.Type]) -> [String] {
      verbs.compactMap { $0.configuration.commandName }
    }
    let parts = groups.map { group in
      "\(names([group])[0])) offered='\(names(group.configuration.subcommands).joined(separator: " "))';;"
    }
    let words = [
      "VALUED_WITH_VALUE": valued.map { $0 + "=*" }.joined(separator: "|"),
      "VALUED": valued.joined(separator: "|"), "FLAGS": flags.joined(separator: "|"),
      "LEADING": (valued + flags + ["--help", "--version"]).joined(separator: " "),
      "VERBS": names(verbs).joined(separator: " "), "GROUPS": names(groups).joined(separator: "|"),
      "PARTS": parts.joined(separator: " "),
      "COLORS": ColorChoice.allCases.map(\.rawValue).joined(separator: " "),
    ]
    // The longest first: a name may begin with another.
    return words.sorted { $0.key.count > $1.key.count }
      .reduce(script) { $0.replacing("@\($1.key)@", with: $1.value) }
  }

  private static let script = #"""

    _editlog_joined() {
        local -a words=()
        local rest="${COMP_LINE}" spaces word i cword=0 is_value=0
        for i in "${!COMP_WORDS[@]}"; do
            word="${COMP_WORDS[i]}"
            spaces="${rest%%[![:space:]]*}"
            rest="${rest#"${spaces}"}"
            rest="${rest#"${word}"}"
            if [[ -n "${spaces}" || "${#words[@]}" -eq 0 ]]; then
                words+=("${word}")
                is_value=0
            elif [[ "${is_value}" -eq 1 || "${word}" == :* || "${words[-1]}" == *: ]]; then
                words[-1]+="${word}"
            elif [[ "${word}" == "=" && "${words[-1]}" == --* ]]; then
                words+=("")
                is_value=1
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

        local v=1 verb offered=
        while ((v < cword)); do
            case "${words[v]}" in
            @VALUED@) ((v += 2)) ;;
            @FLAGS@|@VALUED_WITH_VALUE@) ((v += 1)) ;;
            *) break ;;
            esac
        done
        if ((v > cword)); then
            # The value of an option before the verb.
            case "${words[cword - 1]}" in
            --store) COMPREPLY=($(compgen -d -- "${cur}")) ;;
            --socket) COMPREPLY=($(compgen -f -- "${cur}")) ;;
            --color) COMPREPLY=($(compgen -W '@COLORS@' -- "${cur}")) ;;
            *) COMPREPLY=() ;;
            esac
            return
        fi
        verb="${words[v]}"
        if ((v == cword)); then
            offered='@VERBS@ help'
            [[ "${cur}" == -* ]] && offered='@LEADING@'
        elif [[ "${verb}" == help ]]; then
            if ((cword == v + 1)); then
                offered='@VERBS@'
            else
                case "${words[v + 1]}" in
                @PARTS@
                *) return ;;
                esac
            fi
        fi
        if [[ -n "${offered}" ]]; then
            COMPREPLY=($(compgen -W "${offered}" -- "${cur}"))
            return
        fi
        case "${verb}" in
        @GROUPS@)
            words=("${words[0]}" "${words[@]:v}")
            ((cword -= v - 1))
            ;;
        *)
            words=("${words[0]}" "${verb}" "${words[@]:1:v - 1}" "${words[@]:v + 1}")
            ;;
        esac
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
