import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { readProject } from './published-manifest.mjs';
import { packPackages, root, runProgram } from './published-packages.ts';
import { findNpm } from './set-up-tools.mjs';

// `npm run release -- version` sets the next version of all packages, as the files in .changeset request, and adds a
// section to the CHANGELOG. `npm run release -- publish` packs the packages and publishes those that the registry
// lacks; `--dry-run` publishes nothing. npm adds provenance if a workflow is the trusted publisher.
const { values, positionals } = parseArgs({ options: { 'dry-run': { type: 'boolean' } }, allowPositionals: true });
const [step = ''] = positionals;
const isTrial = values['dry-run'] === true;
const npm = findNpm();
const steps: Readonly<Record<string, () => Promise<void>>> = { version: raiseVersion, publish };
const chosen = steps[step];
if (chosen === undefined) throw new Error(`"${step}" is not a step: ${Object.keys(steps).join(', ')}.`);
await chosen();

async function raiseVersion(): Promise<void> {
  const before = versionNow();
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('@changesets/cli/package.json'));
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  await runProgram(process.execPath, [join(folder, bin.changeset), 'version'], { cwd: root });
  const version = versionNow();
  if (version === before) throw new Error('No file of .changeset requests a new version: "npx changeset" adds one.');
  const file = join(root, 'CHANGELOG.md');
  const section = `## Unreleased\n\n## ${version} (${new Date().toISOString().slice(0, 10)})\n`;
  writeFileSync(file, readFileSync(file, 'utf8').replace('## Unreleased\n', section));
  for (const flags of [[], ['--release']])
    await runProgram(process.execPath, ['scripts/generate.ts', ...flags], { cwd: root });
  console.log(`${before} → ${version}: read "git diff", commit it and push the tag v${version}.`);
}

function versionNow(): string {
  return JSON.parse(readFileSync(join(root, 'contract/package.json'), 'utf8')).version;
}

async function publish(): Promise<void> {
  if (!isTrial && readProject().repository === '')
    throw new Error('Set "repository" in the root package.json: npm compares it with the provenance of a package.');
  for (const { manifest, tarball } of await packPackages(join(root, 'packages'))) {
    const id = `${manifest.name}@${manifest.version}`;
    if (!isTrial && (await isPublic(id))) {
      console.log(`${id} is published already`);
      continue;
    }
    const flags = isTrial ? ['--dry-run'] : [];
    const args = [...npm.args, 'publish', tarball, '--access', 'public', ...flags];
    const { stdout, stderr } = await runProgram(npm.command, args);
    console.log(isTrial ? stdout + stderr : `published ${id}`);
  }
}

async function isPublic(id: string): Promise<boolean> {
  const view = runProgram(npm.command, [...npm.args, 'view', id, 'version']);
  return view.then(
    ({ stdout }) => stdout.trim() !== '',
    (error: Error) => {
      if (error.message.includes('E404')) return false;
      throw error;
    },
  );
}
