import { userInfo } from 'node:os';
import type { SystemUser } from '../identity/audit-commands.ts';
import { truncateForLog } from '../platform/http/refusal-log.ts';

/** Finds the user of this process, and the user who became this one with sudo. */
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

/** Formats the user as headers for the operator's socket; servers of earlier versions ignore them. */
export function formatUserHeaders({ name, sudoName }: SystemUser): Readonly<Record<string, string>> {
  const sudo = sudoName === null ? {} : { [sudoHeader]: encodeURIComponent(sudoName) };
  return { [nameHeader]: encodeURIComponent(name), ...sudo };
}

/** Parses the headers with the user; an earlier operator version sends none and counts as the server's user. */
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
