import { join } from 'node:path';
import { stage } from './stage/stage.ts';
import { siteFolder } from './stage/staged.ts';

/** Builds the site from the documents of the repository, and returns the folder with the result. */
export async function buildSite(): Promise<string> {
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  // A dependency of Astro calls url.parse.
  process.noDeprecation = true;
  await stage(join(siteFolder, '..'));
  const { build } = await import('astro');
  await build({ root: siteFolder, logLevel: 'error' });
  return join(siteFolder, 'dist');
}
