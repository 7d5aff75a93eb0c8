import { join, relative } from 'node:path';
import { packPackages, root } from './published-packages.ts';

// `npm run pack`: the packages as they would be published, to install them elsewhere.
for (const { tarball } of await packPackages(join(root, 'packages'))) console.log(relative(root, tarball));
