import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '@agent-platform/cli-core/errors/hint-commands';

/** The line that installs a package where a file of this program finds it, which is never the current folder. */
export function installLineBeside(file: string, packageName: string): string {
  const [root = ''] = file.split(/[\\/]node_modules[\\/]/);
  // A project has its manifest beside its packages, and a global installation has none.
  const place = existsSync(join(root, 'package.json')) ? `--prefix ${shellWord(root)}` : '--global';
  return `npm install ${place} ${packageName}, which installs it beside agentp: ${join(root, 'node_modules')} is searched`;
}
