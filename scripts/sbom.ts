import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setUpCheckout } from './set-up.mjs';

// `npm run -s lab -- sbom`: prints the bill of materials of the server package as CycloneDX. It contains the locked
// packages for this machine and the licences in their manifests.
const { pnpm } = await setUpCheckout(fileURLToPath(new URL('..', import.meta.url)), (line) => console.error(line));
const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--prod'];
args.push('--filter', '@agent-platform/server', ...process.argv.slice(2));
process.exitCode = spawnSync(pnpm, args, { stdio: 'inherit' }).status ?? 1;
