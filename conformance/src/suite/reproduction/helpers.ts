const value = `value() {
  local found
  found=$(tr '\\n' ' ' <<< "$ANSWER" | grep -oE "\\"$1\\"[[:space:]]*:[[:space:]]*(\\"[^\\"]*\\"|-?[0-9]+)" | sed -n "$2p" | sed -E 's/^"[^"]*"[[:space:]]*:[[:space:]]*//; s/"//g') || true
  [ -n "$found" ] || { echo "The answer has no \\"$1\\": $ANSWER" >&2; return 1; }
  printf '%s' "$found"
}`;

// Bash and the tools that every system has; a script gets those that it uses.
const helpers: readonly (readonly [name: string, text: string])[] = [
  ['send', 'send() { ANSWER=$(curl -sS "$@"); }'],
  ['value', value],
  // The last 32 bytes of the DER form are the key.
  ['key', 'key() { openssl genpkey -algorithm X25519 | openssl pkey -pubout -outform DER | tail -c 32 | base64; }'],
  ['hex', `hex() { od -An -v -N 32 -tx1 /dev/urandom | tr -d ' \\n' | cut -c "1-$1"; }`],
  ['uuid', `uuid() { hex 32 | sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/\\1-\\2-4\\3-8\\4-\\5/'; }`],
  [
    'moment',
    'moment() { date -u -d "@$(($(date +%s) + $1))" +%FT%TZ 2> /dev/null || date -u -r "$(($(date +%s) + $1))" +%FT%TZ; }',
  ],
];

/** The functions that a script uses. */
export function helpersOf(script: string): readonly string[] {
  const uses = (name: string) => new RegExp(String.raw`(^|\$\()${name}( |\))`, 'm').test(script);
  return helpers.filter(([name]) => uses(name) || (name === 'hex' && uses('uuid'))).map(([, text]) => text);
}
