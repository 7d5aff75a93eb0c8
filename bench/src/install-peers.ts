import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(import.meta.resolve('../peers/'));
const stampFile = join(folder, 'node_modules', '.installed');

export function peerProgramPath(name: string): string {
  return join(folder, name);
}

/** Skips the installation if the lock file and the Node.js ABI are unchanged. */
export async function installPeers(say: (line: string) => void): Promise<void> {
  const wanted = `${process.versions.modules} ${readFileSync(join(folder, 'package-lock.json'), 'utf8')}`;
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  say('installing the peers with npm; one of them is compiled if npm has no binary for this machine');
  const node = dirname(process.execPath);
  // npm needs the headers of this Node.js version to compile a package.
  const headers = existsSync(join(node, '../include/node/node.h')) ? { npm_config_nodedir: dirname(node) } : {};
  const env = { ...process.env, ...headers, PATH: `${node}${delimiter}${process.env['PATH'] ?? ''}` };
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', folder];
  const child = spawn(npm, ['ci', ...flags], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`npm could not install the peers; its exit code is ${code}.`);
  writeFileSync(stampFile, wanted);
}
