import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const inPackage = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * Creates a project folder for a chat bot, and returns the folder's path.
 *
 * @throws Error if the folder is not empty, or its name is not a valid package name
 */
export function createAgent(target: string): string {
  const folder = resolve(target);
  const name = basename(folder);
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name)) {
    throw new Error(`"${name}" cannot be the name of a package. Use lower-case letters, digits and "-".`);
  }
  if (existsSync(folder) && readdirSync(folder).length > 0) throw new Error(`${folder} is not empty.`);
  cpSync(inPackage('template'), folder, { recursive: true });
  // The template has this file without the dot, because npm omits files named .gitignore from packages.
  renameSync(join(folder, 'gitignore'), join(folder, '.gitignore'));
  const { version } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'));
  const manifestFile = join(folder, 'package.json');
  const manifest = readFileSync(manifestFile, 'utf8');
  writeFileSync(manifestFile, manifest.replace('"my-bot"', `"${name}"`).replace('"0.0.0"', `"^${version}"`));
  return folder;
}
