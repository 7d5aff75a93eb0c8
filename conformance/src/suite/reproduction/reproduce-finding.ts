import type { Check } from '../../context/check.ts';
import type { Exchange } from '../../context/http/http-client.ts';
import type { RunOptions } from '../../context/options.ts';
import { relationOf } from '../../context/pool/agent-usage.ts';
import type { Pool } from '../../context/pool/pool.ts';
import type { Session } from '../../context/run.ts';
import type { Finding, Reproduction } from '../../verdict/report.ts';
import { readRequirements } from '../../verdict/requirements.ts';
import { exchangeOf } from '../../verdict/shown-exchange.ts';
import { reproduce } from './reproduce.ts';

/**
 * The script that repeats the failure of a check. The check starts at the index `checkStart` of the journal; a
 * finding without an exchange is shown by the last exchange of the check.
 */
export function reproduceFinding(
  finding: Finding,
  { check, checkStart, last }: { check: Check; checkStart: number; last: Exchange | undefined },
  { run, pool, options }: { run: Session; pool: Pool; options: RunOptions },
) {
  const exchange = exchangeOf(finding.error) ?? last;
  if (finding.verdict !== 'failed' || exchange === undefined) return undefined;
  const { journal, redaction, tokens } = run;
  const { requirement, error } = finding;
  const says = readRequirements().find(({ id }) => id === requirement)?.says ?? check.rule;
  const observed = redaction.apply(error instanceof Error ? error.message : String(error));
  const place = pool.tokensIn();
  const target = journal.entries.find((entry) => entry.kind === 'request' && entry.request === exchange.request);
  // This run never sent the registration, because an earlier run did.
  const { request, status, text } = exchange;
  const earlier = { kind: 'request', request, status, text, at: run.clock.now() } as const;
  return reproduce(target?.kind === 'request' ? target : earlier, {
    name: `${requirement}.${check.id}.sh`,
    entries: journal.entries,
    checkStart,
    agents: tokens.agents,
    baseUrl: options.baseUrl,
    wsUrl: options.wsUrl,
    clean: redaction.apply,
    remarks: [`${requirement}: ${says}`, `Check ${check.id}: ${check.rule}`].map(remark),
    ending: remark(`The failure is reproduced if the answer above shows it: ${observed}`),
    // All earlier requests contribute to a limit.
    keepsAll: check.profile !== undefined,
    pool: place?.file,
    memberOf: ({ handle }) => place?.agents.find((one) => one.handle === handle)?.member,
    needsInvitation: options.invitation !== undefined || options.hooks.invitation !== undefined,
    areFriends: (one, other) => relationOf(run.usage(), one.id, other.id) === 'friends',
  }) satisfies Reproduction;
}

const remarkMaxLength = 300;

// On a single line, because the rest would become a command.
function remark(text: string): string {
  const line = text.replaceAll(/[\p{C}\s\u2028\u2029]+/gu, ' ').trim();
  return line.length > remarkMaxLength ? `${line.slice(0, remarkMaxLength)}…` : line;
}
