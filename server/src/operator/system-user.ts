import { userInfo } from 'node:os';
import type { SystemUser } from '../identity/audit-commands.ts';
import { truncateForLog } from '../platform/http/refusal-log.ts';

export function findSystemUser(env: Readonly<Record<string, string | undefined>>): SystemUser {
  return { name: ownName(), sudoName: env['SUDO_USER'] ?? null };
}

function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the user may have only a number.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

const nameHeader = 'operator-user';
const sudoHeader = 'operator-sudo-user';

/** Servers of earlier versions ignore these headers. */
export function formatUserHeaders({ name, sudoName }: SystemUser): Readonly<Record<string, string>> {
  const sudo = sudoName === null ? {} : { [sudoHeader]: encodeURIComponent(sudoName) };
  return { [nameHeader]: encodeURIComponent(name), ...sudo };
}

/** An earlier operator version sends no headers; its commands count as those of the server's user. */
export function parseUserHeaders(headers: Readonly<Record<string, unknown>>, own: SystemUser): SystemUser {
  const [name, sudoName] = [decode(headers[nameHeader]), decode(headers[sudoHeader])];
  return name === undefined ? own : { name, sudoName: sudoName ?? null };
}

function decode(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return truncateForLog(decodeURIComponent(value));
  } catch {
    return undefined;
  }
}
