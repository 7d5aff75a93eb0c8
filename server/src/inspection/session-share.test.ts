import { expect, it } from 'vitest';
import { hasSessionShare } from './session-share.ts';

it.each([
  ['the root group', '1', '0::/\n', [], true],
  [
    'a service without its own share',
    '1',
    '0::/system.slice/a.service\n',
    ['/sys/fs/cgroup/user.slice/cpu.weight'],
    true,
  ],
  [
    'a service with its own share',
    '1',
    '0::/system.slice/a.service\n',
    ['/sys/fs/cgroup/system.slice/a.service/cpu.weight'],
    false,
  ],
  [
    'a service whose slice has a share',
    '1',
    '0::/system.slice/a.service\n',
    ['/sys/fs/cgroup/system.slice/cpu.weight'],
    false,
  ],
  ['a container, whose group looks like the root', '1', '0::/\n', ['/sys/fs/cgroup/cpu.weight'], false],
  ['the root group of version 1', '1', '3:cpuset:/a\n1:cpu,cpuacct:/\n0::/b\n', [], true],
  ['a container of version 1', '1', '2:cpuacct,cpu:/docker/a\n0::/\n', [], false],
  ['a system that does not group sessions', '0', '0::/\n', [], false],
])('finds whether sessions have a share: %s', (_, enabled, groups, files, expected) => {
  const read = (path: string) => (path === '/proc/self/cgroup' ? groups : `${enabled}\n`);
  expect(hasSessionShare(read, (path) => files.includes(String(path)))).toBe(expected);
});

it('finds no share on a system without these files', () => {
  const read = () => {
    throw new Error('ENOENT');
  };
  expect(hasSessionShare(read)).toBe(false);
});
