import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const cgroups = '/sys/fs/cgroup';

/**
 * Whether Linux divides processor time among sessions before it divides it among their processes. If so, a process that
 * always yields to others still gets the share of its session. Control groups with their own share of the processor,
 * such as those of containers, take precedence over sessions.
 */
export function hasSessionShare(read = (path: string) => readFileSync(path, 'utf8'), has = existsSync): boolean {
  try {
    if (read('/proc/sys/kernel/sched_autogroup_enabled').trim() !== '1') return false;
    const groups = read('/proc/self/cgroup')
      .split('\n')
      .map((line) => line.split(':'));
    const pathOf = (controller: string) =>
      groups
        .find(([, controllers]) => controllers?.split(',').includes(controller))
        ?.slice(2)
        .join(':');
    // Version 1 of control groups has a separate tree for the processor.
    const separate = pathOf('cpu');
    if (separate !== undefined) return separate === '/';
    let path = join(cgroups, pathOf('') ?? '');
    while (path !== dirname(cgroups) && !has(join(path, 'cpu.weight'))) path = dirname(path);
    return path === dirname(cgroups);
  } catch {
    return false;
  }
}
