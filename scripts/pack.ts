import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { packPackages, root } from './published-packages.ts';

// `npm run pack`: builds the packages as they would be published, to install them elsewhere. Old tarballs are removed,
// because the container image is built from all files of the folder.
const folder = join(root, 'packages');
rmSync(folder, { recursive: true, force: true });
for (const { tarball } of await packPackages(folder)) console.log(relative(root, tarball));
