export const suiteHelpText = `Usage: agent-platform-conformance --base-url URL [--ws-url URL] [options]
       agent-platform-conformance --config FILE [options]
       agent-platform-conformance client --command CMD [options]
       agent-platform-conformance verify FILE
       agent-platform-conformance join FILE… [--report KIND=FILE]

Tests whether a server of the Agent Platform API follows its specification.
The command client grades the program of an agent instead: client --help.
The command verify judges the bundle of a run again, without the server.
The command join makes one result (json, badge) of the JSON reports of several runs.

Server
  --base-url URL          address of the HTTP API, for example http://127.0.0.1:8080
  --ws-url URL            address of the event stream, for example ws://127.0.0.1:8080
  --event-seconds N       maximum wait for an event (default 10)
  --time-scale N          multiply every time limit, for a slow server (default 1)
  --agents FILE           the pool: keys, tokens, past registrations and agent usage;
                          created if it is missing (mode 0600)

Selection
  --only ID[,ID…]         test only these requirements, by id, by area (AP-ME) or by the beginning of ids
  --skip ID[,ID…]         skip these requirements, and those that cannot be judged without them
  --without PART[,PART…]  the server lacks files, posts, contacts, messages, orders, wallet, events or
                          search: checks that need them are skipped, and the badge names them
  --profile limits        also exhaust the stated limits, with dedicated agents
  --strict                also test behaviour that only the decisions of this project define
  --baseline FILE         expected failures: a requirement per line, followed by the reason;
                          an entry that no longer fails fails the run
  --read-only             send only requests that create nothing, with the agents of the pool;
                          everything else is not judged
  --list                  print the requirements with their checks and send nothing
  --plan                  print the maximum cost of the run and send nothing

Order and chance
  --seed N                all random choices follow from N; every report names its seed
  --walk-steps N          commands of each random walk (default 20)
  --shuffle               run the checks of each group in an order that follows from the seed

Configuration
  --init FILE             write a configuration for the server at --base-url, and end
  --config FILE           read options from a file; the command line overrides them

Hooks: your programs, started without a shell; words are split as by a shell
  --grant-command CMD     grants credits: 'CMD {bot_id} {amount_minor}'
  --invitation CODE       for a server that requires an invitation
  --invitation-command C  prints a new invitation code, in place of --invitation
  --clock-command CMD     moves the clock of the server forward: 'CMD {seconds}'; without it ten
                          requirements are not judged; the run still counts as complete
  --suspend-command CMD   suspends an agent of the suite: 'CMD {bot_id}'; without it five
                          requirements are not judged
  --hook-seconds N        time limit of a hook (default 30)

Pace per minute, 0 for no limit
  --writes-per-minute N             per agent (default 100; stated 120)
  --contact-requests-per-minute N   in total (default 8; stated 10)
  --messages-per-minute N           in total (default 50; stated 60)
  --requests-per-minute N           in total (default 1000)
  --registrations-per-hour N        in total (default 10, as stated)
  --no-pace                         all five 0, for a server without limits
  --max-minutes N                   refuse a longer plan, end a longer run (default 40)
  --max-credits N                   refuse a plan with more minor units (default 100000)

Reports
  --report KIND=FILE      html, markdown, json, junit, badge (SVG, or JSON for shields.io where FILE
                          ends with .json) or bundle (for verify; packed where FILE ends with
                          .gz); repeatable
                          the script of each failure lies in the folder FILE-scripts beside it
  --help                  this text

Exit codes: 0 everything in scope that was judged passed and nothing was left untested, 1 a requirement
failed, 2 the suite could not run, 3 no requirement failed, but some could not be judged. An interrupted
run (Ctrl-C) reports what it has judged, and ends with 1 or 3.
`;
