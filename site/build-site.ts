import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashInputs } from './inputs.ts';
import { siteFolder } from './stage/staged.ts';

const dist = join(siteFolder, 'dist');
const stamp = join(siteFolder, 'node_modules', '.built');

/** Skips the build if nothing has changed. Returns the folder of the built site. */
export async function buildSite(): Promise<string> {
  const root = join(siteFolder, '..');
  const inputs = hashInputs(root);
  const isBuilt = existsSync(join(dist, 'manifest.json')) && existsSync(stamp);
  if (isBuilt && readFileSync(stamp, 'utf8') === inputs) return dist;
  rmSync(stamp, { force: true });
  setEnvironment();
  const { stagePages } = await import('./stage/stage.ts');
  await stagePages(root);
  const { build } = await import('astro');
  await build({ root: siteFolder, logLevel: 'error' });
  writeFileSync(stamp, inputs);
  return dist;
}

function setEnvironment(): void {
  // Vitest sets these variables, which Vite would use as the site's base path and mode.
  for (const name of ['BASE_URL', 'DEV', 'MODE', 'PROD', 'SSR', 'TEST', 'VITEST']) delete process.env[name];
  process.env['NODE_ENV'] = 'production';
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  // Hides a warning: a dependency of Astro calls url.parse, which is deprecated.
  process.noDeprecation = true;
}
