import { isObject } from '../context/json.ts';
import { type RunOptions, runOptions } from '../context/options.ts';
import { codeDigest, registerDigest } from '../package-files.ts';
import { printPublicJson } from '../reports/json-report.ts';
import { judgeServer } from '../suite/suite.ts';
import { suiteVersion } from '../suite/suite-version.ts';
import { type Bundle, bundleHash } from './bundle.ts';
import { canonical } from './canonical.ts';
import { openReplay, RecordBroken } from './replay-world.ts';

/** What a verification found. */
export interface Verification {
  /** Each in a sentence; none where the bundle is genuine. */
  readonly faults: readonly string[];
  /** How many verdicts were judged again, of all that the bundle has. */
  readonly judged: number;
  readonly verdicts: number;
  /** Another version of the suite can judge it. */
  readonly otherVersion: string | undefined;
}

/** A row of a report with a verdict. */
interface Row {
  readonly id: string;
  readonly verdict: string;
  readonly reason: string;
}

/** Faults that are seen without a second judgement. */
function findTampering(bundle: Bundle): readonly string[] {
  const faults: string[] = [];
  if (bundleHash(bundle) !== bundle.hash) faults.push('The hash is wrong: the file was changed after it was made.');
  const isThisVersion = bundle.suite.version === suiteVersion;
  if (isThisVersion && bundle.register !== registerDigest())
    faults.push(
      'The register of requirements is not the one of this version: the run was judged by other requirements.',
    );
  return faults;
}

/** Judges the recorded exchanges again, and compares the verdicts. Nothing is sent, started or written. */
export async function verifyBundle(bundle: Bundle): Promise<Verification> {
  const faults = [...findTampering(bundle)];
  const stated = rowsOf(bundle.report, 'requirements');
  const without = { faults, judged: 0, verdicts: stated.length };
  if (bundle.suite.version !== suiteVersion) return { ...without, otherVersion: bundle.suite.version };
  try {
    const replay = openReplay(bundle);
    const report = await replay.play(() =>
      judgeServer(replayOptions(bundle.options), undefined, undefined, replay.world),
    );
    const again: unknown = JSON.parse(printPublicJson(report));
    faults.push(...compare(bundle.report, again));
    return { faults, judged: rowsOf(again, 'requirements').length, verdicts: stated.length, otherVersion: undefined };
  } catch (error) {
    faults.push(
      `The exchanges cannot be judged again: ${error instanceof Error ? error.message : String(error)}.${hintOf(bundle, error)}`,
    );
    return { ...without, otherVersion: undefined };
  }
}

function hintOf({ suite, node }: Bundle, error: unknown): string {
  if (!(error instanceof RecordBroken)) return '';
  if (suite.digest !== codeDigest())
    return ` Another build of suite ${suite.version} made the bundle, under Node.js ${node}: verify it with that build.`;
  return ' An exchange was removed, added or changed.';
}

// No file is written and no program started: the world of a replay starts nothing.
function replayOptions(options: unknown): RunOptions {
  const { baseUrl, ...given } = options as RunOptions;
  return runOptions(baseUrl, given);
}

function compare(stated: unknown, again: unknown): readonly string[] {
  const faults = [...compareRows('requirements', stated, again), ...compareRows('checks', stated, again)];
  if (faults.length > 0) return faults;
  const names = Object.keys({ ...toObject(stated), ...toObject(again) });
  const differing = names.filter((name) => canonical(toObject(stated)[name]) !== canonical(toObject(again)[name]));
  if (differing.length === 0) return [];
  return [`The report differs from what the exchanges give, in ${differing.map((name) => `"${name}"`).join(', ')}.`];
}

function compareRows(list: 'requirements' | 'checks', stated: unknown, again: unknown): readonly string[] {
  const statedRows = new Map(rowsOf(stated, list).map((row) => [row.id, row]));
  const againRows = new Map(rowsOf(again, list).map((row) => [row.id, row]));
  return [...new Set([...statedRows.keys(), ...againRows.keys()])].flatMap((id) => {
    const [one, other] = [statedRows.get(id), againRows.get(id)];
    if (one?.verdict === other?.verdict) return [];
    const reason = other === undefined || other.reason === '' ? '' : `: ${other.reason}`;
    return `${id} is ${nameOf(one)} in the bundle, and ${nameOf(other)} by its exchanges${reason}`;
  });
}

function nameOf(row: Row | undefined): string {
  return row === undefined ? 'absent' : `"${row.verdict}"`;
}

function rowsOf(report: unknown, list: string): readonly Row[] {
  const rows = toObject(report)[list];
  return Array.isArray(rows)
    ? rows.map((row) => {
        const { id, verdict, reason } = toObject(row);
        return { id: String(id), verdict: String(verdict), reason: String(reason ?? '') };
      })
    : [];
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
