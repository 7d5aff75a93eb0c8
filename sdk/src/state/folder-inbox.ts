import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseJson } from '../json.ts';
import type { InboxStatus } from './client-state.ts';

const statuses = new Map<string, InboxStatus>([
  ['w', 'waiting'],
  ['l', 'leased'],
  ['f', 'failed'],
  ['d', 'finished'],
]);
const nameForm = /^(\d{16})~([0-9a-f-]{36})~([0-9a-z-]{1,40})~([wlfd])~(\d{1,9})~(\d{1,16})~([0-9a-f]{16})$/;

/**
 * Reads an inbox of small files as rows of the table `inbox`, in the order in
 * which its events are handed out. An event was received when it has a link
 * `seen/ID`; its file is `events/NAME` or `finished/NAME`, unless the process died
 * before it was moved there: then the link itself has the content and the first name.
 */
export function readFolderInbox(folder: string, unreadable: string[]) {
  const located = ['finished', 'events'].flatMap((state) =>
    namesIn(join(folder, state)).flatMap((name) => {
      const place = parseFileName(name);
      return place === undefined ? [] : [{ file: join(folder, state, name), place }];
    }),
  );
  const ids = new Set(located.map(({ place }) => place.event_id));
  const unmoved = namesIn(join(folder, 'seen'))
    .filter((id) => !ids.has(id))
    .map((id) => ({ file: join(folder, 'seen', id), place: undefined }));
  return [...located, ...unmoved]
    .flatMap(({ file, place: named }) => {
      const value = parseJson(readText(file) ?? '');
      const { copy, kind, payload } = isRecord(value) ? value : {};
      const place = named ?? parseFileName(String(copy));
      if (place === undefined || typeof kind !== 'string') {
        unreadable.push(file);
        return [];
      }
      const reason = readText(join(folder, 'reasons', place.event_id)) ?? null;
      return [{ ...place, kind, payload: JSON.stringify(payload), reason }];
    })
    .toSorted((one, other) => one.order - other.order || (one.event_id < other.event_id ? -1 : 1));
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Reads a file; undefined when it is absent or cannot be read. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

// The name of a file encodes the state of its event.
function parseFileName(name: string) {
  const [, order, event_id, topic, letter = '', attempts, dueMs, tag] = nameForm.exec(name) ?? [];
  const status = statuses.get(letter);
  if (status === undefined || event_id === undefined || topic === undefined || tag === undefined) return undefined;
  const lease_id = status === 'leased' ? tag : null;
  return { order: Number(order), event_id, topic, status, attempts: Number(attempts), due_ms: Number(dueMs), lease_id };
}
