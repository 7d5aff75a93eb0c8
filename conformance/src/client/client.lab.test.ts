import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureSlowdown } from '@agent-platform/testing/quiet-time';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../run-command.ts';
import { clientRequirements } from './client-requirements.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

async function grade(program: string, ...more: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-client-'));
  const file = join(folder, 'report.json');
  let out = '';
  const output = { out: (text: string) => (out += text), err: () => undefined };
  const command = `'${process.execPath}' ${program}`;
  const exitCode = await runCommand(
    ['client', '--command', command, '--report', `json=${file}`, '--concurrency', '4', ...more],
    output,
  );
  const { requirements } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly requirements: readonly { readonly id: string; readonly verdict: string; readonly reason: string }[];
  };
  rmSync(folder, { recursive: true });
  const withVerdict = (wanted: string) => requirements.filter(({ verdict }) => verdict === wanted);
  return { exitCode, out, withVerdict };
}

/** The time limit of a scenario in seconds, longer on a busy machine. Some faulty agents run until the limit. */
const timeoutSeconds = (quietSeconds: number) => String(Math.ceil(quietSeconds * measureSlowdown()));

describe('the client command', () => {
  it.concurrent('passes an agent that uses the SDK', async () => {
    const { exitCode, out, withVerdict } = await grade(
      `'${join(root, 'examples/graded-agent/main.ts')}'`,
      '--seconds',
      '150',
    );

    expect(out).toContain(`${clientRequirements.length} passed, 0 failed, 0 error, 0 not tested`);
    expect(withVerdict('passed')).toHaveLength(clientRequirements.length);
    expect(exitCode).toBe(0);
  });

  it.concurrent('fails a naive agent, and explains each mistake', async () => {
    const program = fileURLToPath(new URL('../../testing/clients/naive.mjs', import.meta.url));
    const { exitCode, out, withVerdict } = await grade(`'${program}'`, '--seconds', timeoutSeconds(12));
    const failed = withVerdict('failed');

    expect(exitCode).toBe(1);
    // This agent sends valid frames, keeps its key private, and never sends its token in a URL.
    const right = ['AP-CLIENT-011', 'AP-CLIENT-016', 'AP-CLIENT-017'];
    expect(withVerdict('passed').map(({ id }) => id)).toEqual(right);
    expect(failed).toHaveLength(clientRequirements.length - right.length);
    for (const { reason } of failed) expect(reason.length).toBeGreaterThan(80);
    expect(out).toContain('Store the event durably first, then send the ack.');
  });

  it.concurrent('fails an agent that leaks its secrets', async () => {
    const program = fileURLToPath(new URL('../../testing/clients/indiscreet.mjs', import.meta.url));
    const { withVerdict } = await grade(`'${program}'`, '--seconds', timeoutSeconds(8));

    const leaks = ['AP-CLIENT-011', 'AP-CLIENT-016', 'AP-CLIENT-017'];
    expect(withVerdict('failed').map(({ id }) => id)).toEqual(expect.arrayContaining(leaks));
  });

  it.concurrent('reports every requirement as not tested for a program that does nothing', async () => {
    const { exitCode, out, withVerdict } = await grade('-e 0');

    expect(withVerdict('not tested')).toHaveLength(clientRequirements.length);
    expect(out).toContain('the program sent no registration');
    expect(exitCode).toBe(3);
  });

  it.concurrent('explains a wrong command line', async () => {
    const said = async (...args: readonly string[]) => {
      let err = '';
      const exitCode = await runCommand(['client', ...args], { out: () => undefined, err: (text) => (err += text) });
      return `${exitCode} ${err}`;
    };

    expect(await said()).toContain('2 --command is missing.');
    expect(await said('--command', "node 'x")).toContain('2 --command is invalid');
    expect(await said('--command', 'x', '--seconds', '0')).toContain('2 --seconds is "0"');
    expect(await said('--command', 'x', '--report', 'pdf=x')).toContain('2 --report takes');
  });
});
