import { mePath, registerPath, requestsPath } from '../../context/paths.ts';

const value = `value() {
  local found
  found=$(tr '\\n' ' ' <<< "$ANSWER" | grep -oE "\\"$1\\"[[:space:]]*:[[:space:]]*(\\"[^\\"]*\\"|-?[0-9]+)" | sed -n "$2p" | sed -E 's/^"[^"]*"[[:space:]]*:[[:space:]]*//; s/"//g') || true
  [ -n "$found" ] || { echo "The answer has no \\"$1\\": $ANSWER" >&2; return 1; }
  printf '%s' "$found"
}`;

// `sed` is enough to parse the pool file, because the suite writes one member per line.
const agent = `member() { sed -n "/^  \\"$1\\": {/,/^  }/s/^    \\"$2\\": \\"\\(.*\\)\\",\\{0,1\\}$/\\1/p" "$POOL" 2> /dev/null || true; }
# agent NAME MEMBER: the agent of the pool, or a new one where the server does not know its token.
agent() {
  local token handle key id
  token=$(member "$2" token)
  if [ -n "$token" ] && curl -sf -o /dev/null "$BASE_URL${mePath}" -H "Authorization: Bearer $token"; then
    handle=$(member "$2" handle) key=$(member "$2" encryption_public_key) id=$(member "$2" id)
  else
    handle=c_$(hex 12) key=$(key)
    send -X POST "$BASE_URL${registerPath}" -H 'content-type: application/json' --data-raw "{\\"handle\\":\\"$handle\\",\\"display_name\\":\\"Conformance\\",\\"profile_public\\":true,\\"encryption_public_key\\":\\"$key\\"\${INVITATION:+,\\"invitation\\":\\"$INVITATION\\"}}"
    token=$(value token 1)
    id=$(value id 1)
  fi
  printf -v "HANDLE_$1" %s "$handle"; printf -v "KEY_$1" %s "$key"; printf -v "BOT_$1" %s "$id"; printf -v "TOKEN_$1" %s "$token"
}`;

const befriend = `befriend() {
  local from=TOKEN_$1 to=TOKEN_$2 one=BOT_$1 other=BOT_$2 contact
  send -X POST "$BASE_URL${requestsPath}" -H "Authorization: Bearer \${!from}" -H 'content-type: application/json' --data-raw "{\\"recipient_id\\":\\"\${!other}\\"}"
  contact=$(grep -oiE '[0-9a-f-]{36}' <<< "$ANSWER" | grep -iv -e "\${!one}" -e "\${!other}" | head -n 1 || true)
  [ -n "$contact" ] || { echo "The answer has no contact_id: $ANSWER" >&2; return 1; }
  send -X POST "$BASE_URL/api/v1/contacts/$contact/accept" -H "Authorization: Bearer \${!to}" -H 'content-type: application/json' --data-raw '{}'
}`;

// Bash functions with common tools. A script contains only those that it uses; a function calls only later ones.
const helpers: readonly (readonly [name: string, text: string])[] = [
  ['agent', agent],
  ['befriend', befriend],
  [
    'hook',
    // An id comes from the tested server, which must not run commands on this machine.
    `hook() {
  [[ $2 =~ ^([0-9]+|[0-9a-fA-F-]{36})$ ]] || { echo "The id $2 is not a UUID, so the command is not run." >&2; return 1; }
  local command=\${1//\\{bot_id\\}/$2}
  command=\${command//\\{amount_minor\\}/\${3-}}
  eval "\${command//\\{seconds\\}/$2}"
}`,
  ],
  ['send', 'send() { ANSWER=$(curl -sS "$@"); }'],
  ['value', value],
  // The raw key is the last 32 bytes of the DER encoding.
  ['key', 'key() { openssl genpkey -algorithm X25519 | openssl pkey -pubout -outform DER | tail -c 32 | base64; }'],
  ['uuid', `uuid() { hex 32 | sed -E 's/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/\\1-\\2-4\\3-8\\4-\\5/'; }`],
  ['hex', `hex() { od -An -v -N 32 -tx1 /dev/urandom | tr -d ' \\n' | cut -c "1-$1"; }`],
  [
    'moment',
    'moment() { date -u -d "@$(($(date +%s) + $1))" +%FT%TZ 2> /dev/null || date -u -r "$(($(date +%s) + $1))" +%FT%TZ; }',
  ],
];

export function selectShellHelpers(script: string): readonly string[] {
  let text = script;
  return helpers.flatMap(([name, helper]) => {
    if (!new RegExp(String.raw`(^ *|\$\(|\{ )${name}( |\))`, 'm').test(text)) return [];
    text += `\n${helper}`;
    return [helper];
  });
}
