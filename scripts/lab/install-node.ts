import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodePackage } from '../set-up-pins.mjs';

/** Also installs an npm that supports the Node.js version. Returns the path of the Node.js executable. */
export async function installNode(folder: string, version: string): Promise<string> {
  const { name } = nodePackage(process.platform, process.arch);
  await promisify(execFile)('npm', ['install', '--silent', '--prefix', folder, `${name}@${version}`, 'npm@10']);
  return join(folder, 'node_modules', name, 'bin/node');
}
