import { execFileSync, spawnSync } from 'node:child_process';

/** Uses apt-get if the program is missing and this process is root. Returns whether the program can be started. */
export function installProgram(name: string): boolean {
  const canStart = (program: string) => spawnSync(program, ['--version']).status === 0;
  if (canStart(name)) return true;
  if (process.getuid?.() !== 0 || !canStart('apt-get')) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  // Waits for the dpkg lock, because another test may be installing a program.
  const flags = ['-qq', '-o', 'DPkg::Lock::Timeout=120'];
  try {
    execFileSync('apt-get', ['update', ...flags], { env, stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...flags, name], { env, stdio: 'ignore' });
  } catch {
    // The next line detects a failed installation.
  }
  return canStart(name);
}
