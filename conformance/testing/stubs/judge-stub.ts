import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { runCommand } from '../../src/run-command.ts';
import { startStubServer, stubServers } from './stub-servers.ts';

const schema = JSON.parse(readFileSync(new URL('../../report.schema.json', import.meta.url), 'utf8'));
const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const isReport = ajv.compile(schema);

export interface StubOutcome {
  readonly name: string;
  readonly exitCode: number;
  readonly seconds: number;
  readonly failed: number;
  /** The faults that the suite showed in the run, as texts; empty if it behaved well. */
  readonly faults: readonly string[];
  readonly lastLine: string;
}

const secondsMax = 120;

export async function judgeStub(name: string): Promise<StubOutcome> {
  const behave = stubServers[name];
  if (behave === undefined) throw new Error(`there is no stub server "${name}"`);
  const server = await startStubServer(behave);
  const folder = mkdtempSync(join(tmpdir(), 'conformance-stubs-'));
  const file = join(folder, 'report.json');
  let errors = '';
  const startedAt = performance.now();
  const args = ['--base-url', server.url, '--ws-url', server.wsUrl, '--no-pace', '--event-seconds', '1'];
  try {
    const output = { out: () => undefined, err: (text: string) => (errors += text) };
    const exitCode = await runCommand([...args, '--report', `json=${file}`], output);
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    return { name, exitCode, seconds, ...findings(exitCode, seconds, text, errors) };
  } finally {
    rmSync(folder, { recursive: true });
    await server.close();
  }
}

function findings(exitCode: number, seconds: number, text: string | undefined, errors: string) {
  const faults: string[] = [];
  const lastLine = errors.trim().split('\n').at(-1) ?? '';
  if (seconds > secondsMax) faults.push(`the run took ${seconds} s`);
  if (/Error of the suite/.test(errors)) faults.push('the suite itself failed');
  // If the first request gets no answer, the suite correctly prints only a message and writes no report.
  if (exitCode === 2 && text === undefined && /got no answer/.test(errors)) return { faults, lastLine, failed: 0 };
  const report = text === undefined ? undefined : JSON.parse(text);
  if (report === undefined || !isReport(report))
    faults.push(`the report is not valid: ${ajv.errorsText(isReport.errors)}`);
  const verdicts = (report?.requirements ?? []).map(({ verdict }: { verdict: string }) => verdict);
  const count = (verdict: string) => verdicts.filter((one: string) => one === verdict).length;
  if (count('passed') > 0) faults.push(`${count('passed')} requirements passed`);
  if (count('error') > 0) faults.push(`${count('error')} requirements ended in an error of the suite`);
  const expected = count('failed') > 0 ? [1] : [2, 3];
  if (!expected.includes(exitCode)) faults.push(`the exit code is ${exitCode}`);
  return { faults, lastLine, failed: count('failed') };
}
