import { readFileSync } from 'node:fs';

interface Mount {
  readonly path: string;
  readonly options: readonly string[];
}

/** Returns no mounts if the system does not list them. */
export function readMounts(): readonly Mount[] {
  try {
    return parseMounts(readFileSync('/proc/self/mountinfo', 'utf8'));
  } catch {
    return [];
  }
}

/** Parses `/proc/self/mountinfo`, which encodes spaces and other special characters as octal numbers. */
export function parseMounts(text: string): readonly Mount[] {
  return text.split('\n').flatMap((line) => {
    const [, , , , path, options] = line.split(' ');
    if (path === undefined || options === undefined) return [];
    const decoded = path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
    return [{ path: decoded, options: options.split(',') }];
  });
}

// If a file system has these options, a process with fewer rights may only remount it with them.
const locked = new Set(['nosuid', 'nodev', 'noexec']);

/** Returns the options that a new mount of this path must keep. */
export function findLockedMountOptions(mounts: readonly Mount[], path: string): readonly string[] {
  const holds = (mount: Mount) => mount.path === '/' || path === mount.path || path.startsWith(`${mount.path}/`);
  // Of several file systems mounted at the same path, only the last one is visible.
  const [inner] = mounts
    .filter(holds)
    .toReversed()
    .toSorted((one, other) => other.path.length - one.path.length);
  return (inner?.options ?? []).filter((option) => locked.has(option));
}

export function findMountsBelow(mounts: readonly Mount[], path: string): readonly string[] {
  return [...new Set(mounts.map((mount) => mount.path))].filter((place) => place.startsWith(`${path}/`));
}
