import { expect, it } from 'vitest';
import { findLockedMountOptions, findMountsBelow, parseMounts } from './mounts.ts';

const mounts = parseMounts(
  [
    '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
    '30 22 0:25 / /srv rw,nosuid,nodev,noexec,relatime - tmpfs none rw',
    '31 30 0:26 / /srv/a\\040folder\\012here rw,nodev - tmpfs none rw',
    '32 22 0:27 / /srvice rw,noexec - tmpfs none rw',
    '33 22 0:28 / /twice rw,nodev - tmpfs none rw',
    '34 33 0:29 / /twice rw,noexec - tmpfs none rw',
    '',
  ].join('\n'),
);

it.each([
  ['/', []],
  ['/usr/lib', []],
  ['/srv', ['nosuid', 'nodev', 'noexec']],
  ['/srv/data', ['nosuid', 'nodev', 'noexec']],
  ['/srv/a folder\nhere/data', ['nodev']],
  ['/srvice/data', ['noexec']],
  ['/twice/data', ['noexec']],
])('another mount of %j keeps the locked options', (path, options) => {
  expect(findLockedMountOptions(mounts, path)).toEqual(options);
});

it('finds what is mounted inside of a folder', () => {
  expect(findMountsBelow(mounts, '/srv')).toEqual(['/srv/a folder\nhere']);
  expect(findMountsBelow(mounts, '/twice')).toEqual([]);
});
