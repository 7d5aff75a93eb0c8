import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, parseJson } from '../json.ts';
import type { InboxStatus, StoredEvent } from './client-state.ts';

/** The state of an event of a folder, as the name of its file encodes it. */
interface FolderPlace {
  readonly order: number;
  readonly eventId: string;
  readonly topic: string;
  readonly status: InboxStatus;
  readonly attempts: number;
  readonly dueMs: number;
  /** Of a leased event: the lease id. */
  readonly tag: string;
}

/** An event of a folder. */
export interface FolderEvent {
  readonly event: StoredEvent;
  readonly place: FolderPlace;
  /** Why its last attempt failed, or null. */
  readonly reason: string | null;
}

const statuses = new Map<string, InboxStatus>([
  ['w', 'waiting'],
  ['l', 'leased'],
  ['f', 'failed'],
  ['d', 'finished'],
]);
const nameForm = /^(\d{16})~([0-9a-f-]{36})~([0-9a-z-]{1,40})~([wlfd])~(\d{1,9})~(\d{1,16})~([0-9a-f]{16})$/;

/**
 * Reads an inbox of small files, in the order in which its events are handed
 * out. An event was received when it has a link `seen/ID`; its file is
 * `events/NAME` or `finished/NAME`, unless the process died before it was moved
 * there: then the link itself has the content and the first name.
 */
export function readFolderInbox(folder: string, unreadable: string[]): readonly FolderEvent[] {
  const located = ['finished', 'events'].flatMap((state) =>
    namesIn(join(folder, state)).flatMap((name) => {
      const place = parseFileName(name);
      return place === undefined ? [] : [{ file: join(folder, state, name), place }];
    }),
  );
  const ids = new Set(located.map(({ place }) => place.eventId));
  const unmoved = namesIn(join(folder, 'seen'))
    .filter((id) => !ids.has(id))
    .map((id) => ({ file: join(folder, 'seen', id), place: undefined }));
  return [...located, ...unmoved]
    .flatMap(({ file, place: named }): FolderEvent[] => {
      const value = readRecord(file);
      const place = named ?? parseFileName(String(value?.['copy']));
      if (place === undefined || typeof value?.['kind'] !== 'string') {
        unreadable.push(file);
        return [];
      }
      const event = { event_id: place.eventId, kind: value['kind'], payload: value['payload'] };
      return [{ event, place, reason: readText(join(folder, 'reasons', place.eventId)) ?? null }];
    })
    .toSorted(
      (one, other) => one.place.order - other.place.order || (one.place.eventId < other.place.eventId ? -1 : 1),
    );
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function readRecord(file: string): { readonly [name: string]: unknown } | undefined {
  const value = parseJson(readText(file) ?? '');
  return isRecord(value) ? value : undefined;
}

/** Reads a file; undefined when it is absent or cannot be read. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function parseFileName(name: string): FolderPlace | undefined {
  const [, order, eventId, topic, letter = '', attempts, dueMs, tag] = nameForm.exec(name) ?? [];
  const status = statuses.get(letter);
  if (status === undefined || eventId === undefined || topic === undefined || tag === undefined) return undefined;
  return { order: Number(order), eventId, topic, status, attempts: Number(attempts), dueMs: Number(dueMs), tag };
}
