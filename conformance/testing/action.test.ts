import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';

const action = parse(readFileSync(new URL('../action.yml', import.meta.url), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly env?: Readonly<Record<string, string>>; readonly run?: string }[];
  };
};

/** Runs the step of the action as GitHub does; returns its exit code and the arguments passed to `node` or `npx`. */
function runAction(inputs: Readonly<Record<string, string>>, suiteExitCode = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-action-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = `#!/bin/sh\nfor word in "$@"; do printf '%s\\n' "$word" >> called; done\nexit ${suiteExitCode}\n`;
  for (const name of ['node', 'npx']) writeFileSync(join(folder, name), program, { mode: 0o755 });
  const step = action.runs.steps.find(({ run }) => run !== undefined);
  const inputOf = (name: string) => inputs[name] ?? action.inputs[name]?.default ?? '';
  const variables = Object.entries(step?.env ?? {}).map(([name, text]) => [
    name,
    text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => inputOf(input)),
  ]);
  const env = {
    ...Object.fromEntries(variables),
    GITHUB_ACTION_PATH: '/a/conformance',
    PATH: `${folder}:/usr/bin:/bin`,
  };
  const { status } = spawnSync('bash', ['-eo', 'pipefail', '-c', step?.run ?? 'exit 9'], { cwd: folder, env });
  return { status, called: readFileSync(join(folder, 'called'), 'utf8').trimEnd().split('\n'), folder };
}

const reports = ['json=report.json', 'html=report.html', 'badge=badge.svg', 'bundle=bundle.json.gz'].flatMap(
  (report) => ['--report', report.replace('=', '=conformance-report/')],
);

it('calls the suite with its inputs, none of which the shell interprets', () => {
  const text = '"$(touch x)" `touch y`; --profile limits';
  const { called, folder, status } = runAction({ 'base-url': 'http://h?a=$HOME', arguments: text });

  expect(called).toEqual([
    ...['/a/conformance/../scripts/run.mjs', 'conformance', '--base-url', 'http://h?a=$HOME', ...reports],
    ...['"$(touch', 'x)"', '`touch', 'y`;', '--profile', 'limits'],
  ]);
  expect(execFileSync('ls', { cwd: folder, encoding: 'utf8' })).toBe('called\nconformance-report\nnode\nnpx\n');
  expect(status).toBe(0);
});

it('accepts options with spaces, one per line, a version and a folder, and fails if the suite fails', () => {
  const inputs = { 'base-url': 'http://h', 'ws-url': 'ws://h', version: '0.1.0', folder: 'a b' };
  const { called, status } = runAction({ ...inputs, arguments: '--clock-command\nset clock' }, 3);

  expect(called.slice(1, 6)).toEqual([
    '@agent-platform/conformance@0.1.0',
    '--base-url',
    'http://h',
    '--ws-url',
    'ws://h',
  ]);
  expect(called).toContain('json=a b/report.json');
  expect(called.slice(-2)).toEqual(['--clock-command', 'set clock']);
  expect(status).toBe(3);
});
