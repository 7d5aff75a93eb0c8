import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setUp } from './set-up.mjs';

// `npm run -s lab -- sbom`: the bill of materials of what is published, as CycloneDX
// on stdout, from the lock file.
const { pnpm } = await setUp(fileURLToPath(new URL('..', import.meta.url)), (line) => console.error(line));
const args = ['sbom', '--sbom-format', 'cyclonedx', '--prod', ...process.argv.slice(2)];
process.exitCode = spawnSync(pnpm, args, { stdio: 'inherit' }).status ?? 1;
