import { execFileSync, spawnSync } from 'node:child_process';

/**
 * Installs a program with apt-get if it is missing and this process runs as root. Returns whether the program can be
 * started.
 */
export function installProgram(name: string): boolean {
  const canStart = (program: string) => spawnSync(program, ['--version']).status === 0;
  if (canStart(name)) return true;
  if (process.getuid?.() !== 0 || !canStart('apt-get')) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  // Waits for the lock of dpkg, because another test may be installing a program.
  const flags = ['-qq', '-o', 'DPkg::Lock::Timeout=120'];
  try {
    execFileSync('apt-get', ['update', ...flags], { env, stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', ...flags, name], { env, stdio: 'ignore' });
  } catch {
    // Ignored, because the next line finds out whether the program was installed.
  }
  return canStart(name);
}
