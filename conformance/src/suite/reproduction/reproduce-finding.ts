import type { Check } from '../../context/check.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { RunOptions } from '../../context/options.ts';
import { relationOf } from '../../context/pool/agent-usage.ts';
import type { Pool } from '../../context/pool/pool.ts';
import type { RunSession } from '../../context/run.ts';
import type { Finding, Reproduction } from '../../verdict/report.ts';
import { readRequirements } from '../../verdict/requirements.ts';
import { exchangeOf } from '../../verdict/shown-exchange.ts';
import { writeReproduction } from './reproduce.ts';

/**
 * Makes the script that repeats a failure. The check's requests start at the index `checkStart` of the journal. If the
 * finding has no exchange, the script repeats the last exchange of the check.
 */
export function writeFindingScript(
  finding: Finding,
  { check, checkStart, last }: { check: Check; checkStart: number; last: Exchange | undefined },
  { run, pool, options }: { run: RunSession; pool: Pool; options: RunOptions },
) {
  const exchange = exchangeOf(finding.error) ?? last;
  if (finding.verdict !== 'failed' || exchange === undefined) return undefined;
  const { journal, redaction, tokens } = run;
  const { requirement, error } = finding;
  const says = readRequirements().find(({ id }) => id === requirement)?.says ?? check.rule;
  const observed = redaction.apply(error instanceof Error ? error.message : String(error));
  const place = pool.tokensIn();
  const target = journal.entries.find((entry) => entry.kind === 'request' && entry.request === exchange.request);
  // An exchange from an earlier run, such as a registration, is not in the journal.
  const { request, status, text } = exchange;
  const earlier = { kind: 'request', request, status, text, at: run.clock.now() } as const;
  return writeReproduction(target?.kind === 'request' ? target : earlier, {
    name: `${requirement}.${check.id}.sh`,
    entries: journal.entries,
    checkStart,
    agents: tokens.agents,
    baseUrl: options.baseUrl,
    wsUrl: options.wsUrl,
    clean: redaction.apply,
    remarks: [`${requirement}: ${says}`, `Check ${check.id}: ${check.rule}`].map(remark),
    ending: remark(`The failure is reproduced if the answer above shows it: ${observed}`),
    // A check with a profile exhausts a limit, towards which all its requests count.
    keepsAll: check.profile !== undefined,
    pool: place?.file,
    memberOf: ({ handle }) => place?.agents.find((one) => one.handle === handle)?.member,
    needsInvitation: options.invitation !== undefined || options.hooks.invitation !== undefined,
    areFriends: (one, other) => relationOf(run.usage(), one.id, other.id) === 'friends',
  }) satisfies Reproduction;
}

const remarkMaxLength = 300;

// A second line of a remark would be a command, so all white space becomes spaces.
function remark(text: string): string {
  const line = text.replaceAll(/[\p{C}\s\u2028\u2029]+/gu, ' ').trim();
  return line.length > remarkMaxLength ? `${line.slice(0, remarkMaxLength)}…` : line;
}
