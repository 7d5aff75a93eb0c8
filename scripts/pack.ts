import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packPackages, root } from './published-packages.ts';

// `npm run pack`: builds the packages as for publishing, to install them elsewhere. Removes old tarballs, because the
// container image is built from all files in the folder.
const folder = join(root, 'packages');
rmSync(folder, { recursive: true, force: true });
for (const { tarball } of await packPackages(folder)) console.log(relative(root, tarball));
