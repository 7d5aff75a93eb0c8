import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installInProject, packPackages, programEnvironment, root, runProgram } from '../published-packages.ts';
import { findNpm } from '../set-up-tools.mjs';

// `npm run lab -- frameworks`: a scripted model finds an agent, befriends it, orders with an approval and pays, through
// the adapters in sdk/docs/tools.md and the frameworks' packages, which have a separate lock file.

const linesMax = 20;
const expected = JSON.stringify({
  text: 'Paid for: A map of the reef',
  outcome: 'accepted',
  questions: ['contacts_request', 'orders_create', 'orders_create', 'orders_complete'],
});

const folder = mkdtempSync(join(tmpdir(), 'agent-platform-frameworks-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
cpSync(join(root, 'scripts/lab/frameworks'), folder, { recursive: true });
const npm = findNpm();
const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
await runProgram(npm.command, [...npm.args, 'ci', ...flags], { cwd: folder, env: programEnvironment });
const packed = await packPackages(join(folder, 'packages'), ['contract', 'sdk']);
await installInProject(
  folder,
  packed.map(({ tarball }) => tarball),
);

const page = readFileSync(join(root, 'sdk/docs/tools.md'), 'utf8');
const adapters = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
for (const [index, name] of ['ai', 'langchain', 'openai'].entries()) {
  const code = adapters[index] ?? '';
  const lines = code.trimEnd().split('\n').length;
  writeFileSync(join(folder, `adapter-${index + 1}.mjs`), code);
  const options = { cwd: folder, env: programEnvironment, timeout: 120_000 };
  const report = await runProgram(process.execPath, ['trade.mjs', name], options).then(
    ({ stdout }) => stdout.trim().split('\n').at(-1) ?? '',
    (error: unknown) => String(error),
  );
  const isRight = report === expected && lines <= linesMax;
  console.log(`${name}: ${isRight ? `works, ${lines} lines` : `fails, ${lines} lines: ${report}`}`);
  if (!isRight) process.exitCode = 1;
}
