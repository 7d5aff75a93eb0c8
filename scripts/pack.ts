import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packPackages, root } from './published-packages.ts';

// `npm run pack`: the packages as they would be published, to install them elsewhere. An image is built from all of the folder.
const folder = join(root, 'packages');
rmSync(folder, { recursive: true, force: true });
for (const { tarball } of await packPackages(folder)) console.log(relative(root, tarball));
