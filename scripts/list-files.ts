import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Lists the files of the repository in a folder, new ones included, that match one of the patterns. */
export function listFiles(folder: string, ...patterns: readonly string[]): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns];
  const paths = execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).split('\0');
  return paths.filter((path) => path !== '' && existsSync(`${folder}/${path}`));
}
