import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { quoteShellWord } from '@agent-platform/cli-core/errors/hint-commands';
import { isPublished, makeInstallLines, type PackageName } from '../../../install-lines.ts';

/** The command that installs a package where `file` can resolve it; never into the current folder. */
export function formatInstallCommand(
  file: string,
  name: PackageName,
  version: string,
  published = isPublished,
): string {
  const [root = ''] = file.split(/[\\/]node_modules[\\/]/);
  // A project has a manifest next to its packages; a global installation does not.
  const place = existsSync(join(root, 'package.json')) ? `--prefix ${quoteShellWord(root)}` : '--global';
  const line = `${makeInstallLines(name, published, version).install(place)}${published ? '' : ' in a checkout'}`;
  return `${line}, which installs it beside agentp: ${join(root, 'node_modules')} is searched`;
}
