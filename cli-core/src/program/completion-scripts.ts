export const shells = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof shells)[number];

/** The hidden command that the scripts call. */
export const completionCommand = '__complete';

// Each script calls `agentp __complete -- <words>`; the last word is the one under the cursor. The output has one
// candidate per line, `value<TAB>description`, or the single line `:files` for a file name. All shells share one
// completion, so a new command needs no new script.
const bash = `# bash completion for agentp.  Use: source <(agentp completion bash)
_agentp() {
  COMPREPLY=()
  local current="\${COMP_WORDS[COMP_CWORD]}" lines line
  mapfile -t lines < <("$1" ${completionCommand} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ "\${lines[0]}" == ':files' ]]; then
    compopt -o filenames 2>/dev/null
    [[ "$current" == '=' ]] && current=''
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  for line in "\${lines[@]}"; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done
}
complete -F _agentp agentp
`;

const zsh = `#compdef agentp
# zsh completion for agentp.  Use: source <(agentp completion zsh)
_agentp() {
  local -a lines candidates
  local line value description
  lines=("\${(@f)$("\${words[1]}" ${completionCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ "\${lines[1]}" == ':files' ]]; then
    _files
    return
  fi
  for line in "\${lines[@]}"; do
    [[ -n "$line" ]] || continue
    value="\${line%%$'\\t'*}" description="\${line#*$'\\t'}"
    candidates+=("\${value//:/\\\\:}\${description:+:$description}")
  done
  _describe 'agentp' candidates
}
if [[ "\${funcstack[1]}" == '_agentp' ]]; then
  _agentp "$@"
else
  compdef _agentp agentp
fi
`;

const fish = `# fish completion for agentp.  Use: agentp completion fish | source
function __agentp_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l lines ($words[1] ${completionCommand} -- $words[2..] 2>/dev/null)
    if test "$lines[1]" = ':files'
        __fish_complete_path (commandline -ct)
    else
        printf '%s\\n' $lines
    end
end
complete -c agentp -f -a '(__agentp_complete)'
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
