import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inheritedEnvironment } from '@agent-platform/testing';
import { emptyDatabaseVariable } from '@agent-platform/testing/embedded-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';
import { expect, it } from 'vitest';

const server = fileURLToPath(new URL('../bin.ts', import.meta.url));

/** Runs a script on a disk of 160 MiB, with the command of the server as its arguments. */
function runOnSmallDisk(script: string) {
  const mount = `mount -t tmpfs -o size=160m none "$0" && cd "$0" || exit 1\n${script}`;
  const words = ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, makeTestFolder()];
  const env = { ...inheritedEnvironment(), PORT: '0', PLATFORM_DATA_DIR: 'data', PLATFORM_UPLOAD_ISOLATION: 'off' };
  return spawnSync('unshare', [...words, process.execPath, server], { env, encoding: 'utf8' });
}

const mayMount = runOnSmallDisk('exit 0').status === 0;

it.runIf(mayMount)('a disk that is too small for a new database ends the start, with the reason', () => {
  expect(runOnSmallDisk('head -c 140m /dev/zero > filling; "$@"')).toMatchObject({
    status: 1,
    stderr:
      'The server could not start. The disk of the embedded database is full (20 MiB free, 88 required). Free space.\n',
  });
});

it.runIf(mayMount)(
  'a disk without any space delays the start until there is some, and commands state the reason',
  () => {
    const script = `mkdir data; cp -R '${process.env[emptyDatabaseVariable]}' data/database; mkfifo log
    cat /dev/zero > filling 2> /dev/null
    "$@" operator stats
    "$@" > log &
    while read -r line; do
      echo "$line"
      case "$line" in *'startup waits'*) rm filling;; *'"ready"'*) kill $!;; esac
    done < log
    wait $!`;
    const { status, stdout, stderr } = runOnSmallDisk(script);

    const reason = 'The disk of the embedded database is full (0 MiB free, 48 required)';
    expect(stderr).toMatch(/^operator: .*\n$/);
    expect(stderr).toContain(reason);
    expect(stdout.split('\n').find((line) => line.includes('startup waits'))).toContain(reason);
    expect(status).toBe(0);
  },
);
