import { isPublished, makeInstallLines } from '../../../install-lines.ts';
import { CannotRun } from '../context/cannot-run.ts';
import { isObject } from '../context/json.ts';
import { type RunOptions, runOptions } from '../context/options.ts';
import { codeDigest, registerDigest, suiteVersion } from '../package-files.ts';
import { formatPublicJsonReport } from '../reports/json-report.ts';
import { judgeServer } from '../suite/suite.ts';
import type { ExitCode } from '../verdict/report.ts';
import { type Bundle, hashBundle, readBundle } from './bundle.ts';
import { formatCanonicalJson } from './encoding.ts';
import { openReplay, RecordMismatch } from './replay-world.ts';

const verifyUsage = `Usage: agent-platform-conformance verify FILE

Judges the bundle of a run again, without its server: the checks run against the recorded exchanges, and their verdicts
are compared with those of the bundle. Nothing is sent, started or written.

Exit codes: 0 the verdicts follow from the exchanges, 1 they do not, 2 the file is not a bundle or needs another version.
`;

const shownMax = 10;

export async function runVerifyCommand(args: readonly string[], print: (text: string) => void): Promise<ExitCode> {
  const [file, ...others] = args;
  if (file === '--help' || file === '-h') {
    print(verifyUsage);
    return 0;
  }
  if (file === undefined || others.length > 0 || file.startsWith('-'))
    throw new CannotRun('verify takes one file: agent-platform-conformance verify FILE.');
  const bundle = readBundle(file);
  const verification = await verifyBundle(bundle);
  print(`${printVerification(bundle, verification).join('\n')}\n`);
  if (verification.otherVersion !== undefined) return 2;
  return verification.faults.length === 0 ? 0 : 1;
}

function printVerification(bundle: Bundle, verification: VerificationResult): readonly string[] {
  const { faults, judged, verdicts, otherVersion } = verification;
  const { base_url: url, exit_code: code } = (isObject(bundle.report) ? bundle.report : {}) as Readonly<
    Record<string, unknown>
  >;
  const head = `${url}, judged by suite ${bundle.suite.version} at ${bundle.started_at}, exit code ${code}`;
  const shown = faults.slice(0, shownMax).map((fault) => `FORGED  ${fault}`);
  const left = faults.length > shownMax ? [`        and ${faults.length - shownMax} more`] : [];
  if (otherVersion !== undefined) {
    const { run } = makeInstallLines('conformance', isPublished, otherVersion);
    const hint = `${run} verify${isPublished ? '' : ', in a checkout of that version'}`;
    return [head, ...shown, `Suite ${otherVersion} made this bundle and can judge it again: ${hint}.`];
  }
  const ending = faults.length === 0 ? 'The verdicts follow from the exchanges.' : 'The bundle is not genuine.';
  return [head, ...shown, ...left, `${judged} of ${verdicts} verdicts were judged again. ${ending}`];
}

export interface VerificationResult {
  /** A sentence for each fault; empty for a genuine bundle. */
  readonly faults: readonly string[];
  /** How many verdicts of the bundle were judged again. */
  readonly judged: number;
  readonly verdicts: number;
  /** The version of the suite that made the bundle, if it is not this one: only that version can judge it again. */
  readonly otherVersion: string | undefined;
}

/** Judges the recorded exchanges again and compares the verdicts. Sends, starts and writes nothing. */
export async function verifyBundle(bundle: Bundle): Promise<VerificationResult> {
  const faults: string[] = [];
  if (hashBundle(bundle) !== bundle.hash) faults.push('The hash is wrong: the file was changed after it was made.');
  const stated = rowsOf(bundle.report, 'requirements');
  const without = { faults, judged: 0, verdicts: stated.length };
  if (bundle.suite.version !== suiteVersion) return { ...without, otherVersion: bundle.suite.version };
  if (bundle.register !== registerDigest())
    faults.push('The run was judged by a different register of requirements than that of this version.');
  try {
    const replay = openReplay(bundle);
    // The options in a bundle name no files, so a replay writes none; `replay.world` starts no programs.
    const { baseUrl, ...given } = bundle.options as RunOptions;
    const options = runOptions(baseUrl, given);
    const report = await replay.play(() => judgeServer(options, undefined, undefined, replay.world));
    const again: unknown = JSON.parse(formatPublicJsonReport(report));
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
  if (!(error instanceof RecordMismatch)) return '';
  if (suite.digest !== codeDigest())
    return ` Another build of suite ${suite.version} made the bundle, under Node.js ${node}: verify it with that build.`;
  return ' An exchange was removed, added or changed.';
}

function compare(stated: unknown, again: unknown): readonly string[] {
  const faults = [...compareRows('requirements', stated, again), ...compareRows('checks', stated, again)];
  if (faults.length > 0) return faults;
  const names = Object.keys({ ...toObject(stated), ...toObject(again) });
  const differing = names.filter(
    (name) => formatCanonicalJson(toObject(stated)[name]) !== formatCanonicalJson(toObject(again)[name]),
  );
  if (differing.length === 0) return [];
  return [`The report does not match the exchanges, in ${differing.map((name) => `"${name}"`).join(', ')}.`];
}

function compareRows(list: 'requirements' | 'checks', stated: unknown, again: unknown): readonly string[] {
  const statedRows = new Map(rowsOf(stated, list).map((row) => [row.id, row]));
  const againRows = new Map(rowsOf(again, list).map((row) => [row.id, row]));
  return [...new Set([...statedRows.keys(), ...againRows.keys()])].flatMap((id) => {
    const [one, other] = [statedRows.get(id), againRows.get(id)];
    if (one?.verdict === other?.verdict) return [];
    const reason = other === undefined || other.reason === '' ? '' : `: ${other.reason}`;
    const [then, now] = [one, other].map((row) => (row === undefined ? 'absent' : `"${row.verdict}"`));
    return `${id} is ${then} in the bundle, but ${now} according to its exchanges${reason}`;
  });
}

function rowsOf(report: unknown, list: string) {
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
