import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Includes untracked files unless git ignores them. */
export function listFiles(folder: string, ...patterns: readonly string[]): readonly string[] {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', ...patterns];
  const paths = execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).split('\0');
  return paths.filter((path) => path !== '' && existsSync(`${folder}/${path}`));
}
