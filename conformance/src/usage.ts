/** The help text. */
export const usage = `Usage: agent-platform-conformance --base-url URL [--ws-url URL] [options]

Judges a server of the Agent Platform API by the sentences of its specification.

Where
  --base-url URL          where the HTTP API is, for example http://127.0.0.1:8080
  --ws-url URL            where the event stream is, for example ws://127.0.0.1:8080
  --event-seconds N       how long an event may take (default 10)
  --agents FILE           the pool: keys, tokens, past registrations and what they are still good
                          for; made when it is missing (mode 0600)

What
  --only ID[,ID…]         judge these requirements alone, by id or by the beginning of it
  --skip ID[,ID…]         leave these out
  --profile limits        also exhaust the stated limits, with agents of its own
  --strict                judge what only the decisions of this project settle as well
  --baseline FILE         failures that are expected: one requirement a line, and why after it;
                          an entry that does not fail any more fails the run
  --plan                  print what the run would ask for, and ask for nothing

Hooks: any program of yours; started without a shell, words as a shell would split them
  --grant-command CMD     grants credits: 'CMD {bot_id} {amount_minor}'
  --invitation CODE       for a server that registers by invitation
  --invitation-command C  prints a fresh invitation code, instead of --invitation
  --clock-command CMD     puts the clock of the server forward: 'CMD {seconds}'
  --hook-seconds N        how long a hook may take (default 30)

Pace: in a minute, 0 for no limit
  --writes-per-minute N             by one agent (default 100; stated 120)
  --contact-requests-per-minute N   (default 8; stated 10)
  --messages-per-minute N           (default 50; stated 60)
  --requests-per-minute N           everything together (default 1000)
  --no-pace                         all of these 0, for a server whose limits are off
  --max-minutes N                   refuse to begin what would take longer (default 30)
  --max-credits N                   refuse to begin what needs more, in minor units (default 100000)

Reports
  --report KIND=FILE      html, markdown, json or junit; may be repeated
  --help                  this text

Exit codes: 0 everything in scope was tested and passed, 1 something failed, 2 the suite could not
run, 3 nothing failed but something was not tested.
`;
