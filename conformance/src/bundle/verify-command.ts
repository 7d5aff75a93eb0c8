import { installLines, isPublished } from '../../../install-lines.ts';
import { isObject } from '../context/json.ts';
import type { ExitCode } from '../verdict/verdict.ts';
import type { Bundle } from './bundle.ts';
import { BundleError, readBundle } from './read-bundle.ts';
import { type Verification, verifyBundle } from './verify.ts';

/** The help text of the verification. */
const verifyUsage = `Usage: agent-platform-conformance verify FILE

Judges the bundle of a run again, without its server: the checks run against the recorded exchanges, and their verdicts
are compared with those of the bundle. Nothing is sent, started or written.

Exit codes: 0 the verdicts follow from the exchanges, 1 they do not, 2 the file is no bundle or needs another version.
`;

const shownMax = 10;

/** Does what follows the word `verify`. */
export async function runVerify(args: readonly string[], print: (text: string) => void): Promise<ExitCode> {
  const [file, ...others] = args;
  if (file === '--help' || file === '-h') {
    print(verifyUsage);
    return 0;
  }
  if (file === undefined || others.length > 0 || file.startsWith('-'))
    throw new BundleError('verify takes one file: agent-platform-conformance verify FILE.');
  const bundle = readBundle(file);
  const verification = await verifyBundle(bundle);
  print(`${printVerification(bundle, verification).join('\n')}\n`);
  if (verification.otherVersion !== undefined) return 2;
  return verification.faults.length === 0 ? 0 : 1;
}

function printVerification(bundle: Bundle, verification: Verification): readonly string[] {
  const { faults, judged, verdicts, otherVersion } = verification;
  const { base_url: url, exit_code: code } = (isObject(bundle.report) ? bundle.report : {}) as Readonly<
    Record<string, unknown>
  >;
  const head = `${url}, judged by suite ${bundle.suite.version} at ${bundle.started_at}, exit code ${code}`;
  const shown = faults.slice(0, shownMax).map((fault) => `FORGED  ${fault}`);
  const left = faults.length > shownMax ? [`        and ${faults.length - shownMax} more`] : [];
  if (otherVersion !== undefined) {
    const { run } = installLines('conformance', isPublished, otherVersion);
    const hint = `${run} verify${isPublished ? '' : ', in a checkout of that version'}`;
    return [head, ...shown, `Suite ${otherVersion} made this bundle and can judge it again: ${hint}.`];
  }
  const ending = faults.length === 0 ? 'The verdicts follow from the exchanges.' : 'The bundle is not genuine.';
  return [head, ...shown, ...left, `${judged} of ${verdicts} verdicts were judged again. ${ending}`];
}
