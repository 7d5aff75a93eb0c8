import { join } from 'node:path';
import { stage } from './stage/stage.ts';
import { siteFolder } from './stage/staged.ts';

// Builds the documentation site into site/dist: `node site/build.ts`.
process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
await stage(join(siteFolder, '..'));
const { build } = await import('astro');
await build({ root: siteFolder, logLevel: 'warn' });
