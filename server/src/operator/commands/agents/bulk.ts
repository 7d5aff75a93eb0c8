import type { AgentOutcome } from '../../../identity/named-agents-commands.ts';
import { OperatorFailure } from '../../failure.ts';
import { toVisible } from '../../format.ts';
import type { OperatorDependencies } from '../../parts.ts';
import { summarizeAgent } from './summary.ts';

const agentsPerTransaction = 500;
const progressEveryMs = 1_000;

/** The time limit for a command on up to 100,000 agents. */
export const bulkTimeoutMs = 600_000;

/** Runs a command on agents in batches, one transaction each, and reports progress. */
async function inParts(
  { note }: Pick<OperatorDependencies, 'note'>,
  names: readonly string[],
  run: (part: readonly string[]) => Promise<readonly AgentOutcome[]>,
): Promise<readonly AgentOutcome[]> {
  const outcomes: AgentOutcome[] = [];
  let toldAtMs = performance.now();
  for (let at = 0; at < names.length; at += agentsPerTransaction) {
    outcomes.push(...(await run(names.slice(at, at + agentsPerTransaction))));
    if (performance.now() - toldAtMs < progressEveryMs || outcomes.length === names.length) continue;
    toldAtMs = performance.now();
    note(`${outcomes.length} of ${names.length} agents.`);
  }
  return outcomes;
}

export interface BulkWords {
  /** The predicate of an agent that was changed, such as "is now suspended". */
  readonly changed: string;
  readonly unchanged: string;
}

type BulkLine = ReturnType<typeof describeLine>;

export type BulkResult =
  | { readonly agent: ReturnType<typeof summarizeAgent>; readonly changed: boolean }
  | (Readonly<Record<'changed' | 'unchanged' | 'failed', number>> & { readonly results: readonly BulkLine[] });

/** For one agent, throws a failure if the command is impossible; for several, returns an outcome for each. */
export async function runOnAgents(
  parts: Pick<OperatorDependencies, 'note' | 'accessChanged'>,
  names: readonly string[],
  run: (part: readonly string[]) => Promise<readonly AgentOutcome[]>,
): Promise<BulkResult> {
  const outcomes = await inParts(parts, names, async (part) => {
    const done = await run(part);
    parts.accessChanged(done.flatMap((line) => (line.outcome === 'changed' ? [line.agent.id] : [])));
    return done;
  });
  const [only] = outcomes;
  if (names.length === 1 && only !== undefined) return describeOnly(only);
  const count = (...wanted: readonly AgentOutcome['outcome'][]) =>
    outcomes.filter(({ outcome }) => wanted.includes(outcome)).length;
  const counts = { changed: count('changed'), unchanged: count('unchanged'), failed: count('unknown', 'erased') };
  return { ...counts, results: outcomes.map(describeLine) };
}

function describeOnly(line: AgentOutcome) {
  const failure = failureOf(line);
  if (failure !== undefined) throw new OperatorFailure(failure.code, failure.message);
  if (line.outcome === 'unknown') throw new Error('The outcome `unknown` was not treated as a failure.');
  return { agent: summarizeAgent(line.agent), changed: line.outcome === 'changed' };
}

function describeLine(line: AgentOutcome) {
  const agent = line.outcome === 'unknown' ? null : { id: line.agent.id, handle: line.agent.handle };
  return { name: line.name, agent, changed: line.outcome === 'changed', error: failureOf(line) ?? null };
}

function failureOf({ name, outcome }: AgentOutcome) {
  const quoted = JSON.stringify(name);
  if (outcome === 'erased') return { code: 'erased', message: `The agent ${quoted} is permanently erased.` };
  if (outcome !== 'unknown') return undefined;
  const message = `There is no agent ${quoted}. Use its handle or its id, as "agents list" shows them.`;
  return { code: 'not_found', message };
}

export function hasBulkSucceeded(result: BulkResult): boolean {
  return !('failed' in result) || result.failed === 0;
}

export function formatBulkLines(result: Extract<BulkResult, { failed: number }>, words: BulkWords): string {
  const lines = result.results.map(({ name, changed, error }) => {
    if (error !== null) return `${toVisible(name)}: ${toVisible(error.message)}`;
    return `${name} ${changed ? words.changed : words.unchanged}.`;
  });
  return [...lines, '', `${result.changed} changed, ${result.unchanged} unchanged, ${result.failed} failed.`].join(
    '\n',
  );
}

export function makeBulkLogFields(result: BulkResult) {
  if (!('failed' in result)) return { agent: result.agent.id, handle: result.agent.handle, changed: result.changed };
  return { changed: result.changed, unchanged: result.unchanged, failed: result.failed };
}
