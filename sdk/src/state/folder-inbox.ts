import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { isRecord } from '../transport/parse-response.ts';
import type {
  FullStateLimits,
  InboxItem,
  InboxSnapshot,
  InboxStatus,
  InboxStore,
  Lease,
  Postponement,
  StoredEvent,
} from './client-state.ts';
import type { FolderSteps } from './folder-steps.ts';
import { type InboxFile, parseFileName, toFileName } from './inbox-file-name.ts';
import { chooseDue } from './inbox-order.ts';

/**
 * The inbox as files. An event is one file whose content never changes; its
 * name says where it stands, and a change is a rename from the exact old name:
 * of two processes that want the same one, only one still finds it.
 *
 * - `seen/ID`: a second link to the file, made before the first rename. Whoever
 *   makes it has brought the event in; it stays while the event is remembered.
 * - `arriving/NAME`: written, and perhaps not yet linked.
 * - `events/NAME`: waiting, leased or failed.
 * - `finished/NAME`: remembered.
 * - `reasons/ID`: why the last attempt failed.
 */
export class FolderInbox implements InboxStore {
  readonly #steps: FolderSteps;
  readonly #folders: Record<'seen' | 'arriving' | 'events' | 'finished' | 'reasons', string>;
  readonly #limits: FullStateLimits;
  #lastOrder = 0;
  #finishedHere = 0;

  constructor(folder: string, steps: FolderSteps, limits: FullStateLimits) {
    this.#steps = steps;
    this.#limits = limits;
    const at = (name: string) => join(folder, name);
    this.#folders = {
      seen: at('seen'),
      arriving: at('arriving'),
      events: at('events'),
      finished: at('finished'),
      reasons: at('reasons'),
    };
  }

  /** Makes the folders, and clears up after processes that died while an event arrived. */
  async prepare(): Promise<void> {
    for (const folder of Object.values(this.#folders)) await this.#steps.makeFolder(folder);
    for (const { eventId } of await this.#files(this.#folders.arriving)) {
      // One that nobody brought in yet may be another process at work.
      if ((await this.#steps.read(join(this.#folders.seen, eventId))) !== undefined) await this.#knowing(eventId);
    }
  }

  async keep(event: StoredEvent, topic: string, nowMs: number): Promise<'kept' | 'known' | 'full'> {
    const { seen, arriving } = this.#folders;
    const eventId = event.event_id;
    if ((await this.#steps.read(join(seen, eventId))) !== undefined) return await this.#knowing(eventId);
    // Failed ones count too: they hold disk, and somebody has to look at them.
    const unfinished = await this.#unfinished();
    if (unfinished.length >= this.#limits.unfinishedMax) return 'full';
    // A clock that was set back must not let the new one overtake.
    this.#lastOrder = Math.max(this.#lastOrder, unfinished.at(-1)?.order ?? 0);
    const name = toFileName({
      order: this.#nextOrder(nowMs),
      eventId,
      topic,
      status: 'waiting',
      attempts: 0,
      dueMs: nowMs,
      tag: newTag(),
    });
    await this.#steps.write(join(arriving, name), JSON.stringify({ ...event, copy: name }));
    await this.#steps.sync(arriving);
    // Another process was faster; it may even have cleared this copy away.
    if (!(await this.#steps.link(join(arriving, name), join(seen, eventId)))) {
      await this.#steps.remove(join(arriving, name));
      return await this.#knowing(eventId);
    }
    await this.#admit(name);
    return 'kept';
  }

  async lease(nowMs: number, untilMs: number): Promise<Lease | undefined> {
    for (;;) {
      const file = chooseDue(await this.#unfinished(), nowMs);
      if (file === undefined) return undefined;
      const leased: InboxFile = {
        ...file,
        status: 'leased',
        attempts: file.attempts + 1,
        dueMs: untilMs,
        tag: newTag(),
      };
      if (!(await this.#rename(file, leased))) continue;
      // A folder that is read while names in it change may leave one out, so
      // the choice is proved again now that the event is ours.
      if (await this.#isOvertaking(leased)) {
        await this.#rename(leased, { ...file, tag: newTag() });
        continue;
      }
      const text = await this.#steps.read(join(this.#folders.events, toFileName(leased)));
      if (text === undefined) continue;
      return { lease_id: leased.tag, event: readEvent(text, file.eventId), attempt: leased.attempts };
    }
  }

  async renew(eventId: string, leaseId: string, untilMs: number): Promise<boolean> {
    const file = await this.#leased(eventId, leaseId);
    // The lease keeps its id, and the new end makes the name a new one.
    return file !== undefined && (file.dueMs === untilMs || (await this.#rename(file, { ...file, dueMs: untilMs })));
  }

  async finish(eventId: string, leaseId: string | undefined, nowMs: number): Promise<boolean> {
    for (;;) {
      const found = (await this.#unfinished()).find((file) => file.eventId === eventId);
      if (found === undefined || !holds(found, leaseId)) return false;
      const finished: InboxFile = { ...found, order: this.#nextOrder(nowMs), status: 'finished', tag: newTag() };
      const { events, finished: to } = this.#folders;
      if (await this.#steps.move(join(events, toFileName(found)), join(to, toFileName(finished)))) break;
    }
    await this.#steps.sync(this.#folders.finished);
    await this.#steps.sync(this.#folders.events);
    await this.#steps.remove(join(this.#folders.reasons, eventId));
    await this.#forgetOldest();
    return true;
  }

  async postpone(eventId: string, leaseId: string, { dueMs, attempts, reason }: Postponement): Promise<boolean> {
    const file = await this.#leased(eventId, leaseId);
    if (file === undefined) return false;
    await this.#noteReason(eventId, reason);
    return await this.#rename(file, { ...file, status: 'waiting', dueMs, attempts, tag: newTag() });
  }

  async park(eventId: string, leaseId: string, reason: string): Promise<boolean> {
    const file = await this.#leased(eventId, leaseId);
    if (file === undefined) return false;
    await this.#noteReason(eventId, reason);
    return await this.#rename(file, { ...file, status: 'failed', tag: newTag() });
  }

  async release(eventId: string, nowMs: number): Promise<boolean> {
    const { events, finished } = this.#folders;
    for (const folder of [finished, events]) {
      const file = (await this.#files(folder)).find((one) => one.eventId === eventId);
      if (file === undefined || (file.status !== 'failed' && file.status !== 'finished')) continue;
      const waiting: InboxFile = {
        ...file,
        order: this.#nextOrder(nowMs),
        status: 'waiting',
        attempts: 0,
        dueMs: nowMs,
        tag: newTag(),
      };
      if (!(await this.#steps.move(join(folder, toFileName(file)), join(events, toFileName(waiting))))) continue;
      await this.#steps.sync(events);
      await this.#steps.remove(join(this.#folders.reasons, eventId));
      return true;
    }
    return false;
  }

  async list(status: InboxStatus): Promise<readonly InboxItem[]> {
    const folder = status === 'finished' ? this.#folders.finished : this.#folders.events;
    const items: InboxItem[] = [];
    for (const file of await this.#files(folder)) {
      if (file.status !== status) continue;
      const text = await this.#steps.read(join(folder, toFileName(file)));
      if (text === undefined) continue;
      const reason = (await this.#steps.read(join(this.#folders.reasons, file.eventId))) ?? null;
      items.push({ event: readEvent(text, file.eventId), status, attempts: file.attempts, reason });
    }
    return items;
  }

  async look(known?: ReadonlySet<string>): Promise<InboxSnapshot> {
    const { seen } = this.#folders;
    const ids = new Set(await this.#steps.names(seen));
    const arrived: { readonly event: StoredEvent; readonly order: number }[] = [];
    for (const id of known === undefined ? [] : ids) {
      if (known?.has(id) === true) continue;
      const text = await this.#steps.read(join(seen, id));
      // Its first name, which the file itself tells, has the order in which it was kept.
      if (text !== undefined) arrived.push({ event: readEvent(text, id), order: orderOf(copyOf(text)) });
    }
    arrived.sort((one, other) => one.order - other.order);
    return { ids, arrived: arrived.map(({ event }) => event) };
  }

  // The event is here already, unless its process died between the link and
  // the move: then this one finishes what it began, before anybody acknowledges.
  async #knowing(eventId: string): Promise<'known'> {
    const { arriving, seen } = this.#folders;
    const admittedText = await this.#steps.read(join(seen, eventId));
    // Whoever is told that it is known acknowledges it, and it never comes again.
    if (admittedText === undefined) throw new Error(`The file ${join(seen, eventId)} was taken away.`);
    const copies = (await this.#files(arriving)).filter((file) => file.eventId === eventId);
    if (copies.length > 0) {
      const admitted = copyOf(admittedText);
      for (const name of copies.map(toFileName)) {
        if (name === admitted) await this.#admit(name);
        else await this.#steps.remove(join(arriving, name));
      }
    }
    return 'known';
  }

  async #admit(name: string): Promise<void> {
    const { arriving, events, seen } = this.#folders;
    await this.#steps.sync(seen);
    await this.#steps.move(join(arriving, name), join(events, name));
    await this.#steps.sync(events);
  }

  async #isOvertaking(leased: InboxFile): Promise<boolean> {
    return (await this.#unfinished()).some(
      ({ order, topic, status }) => topic === leased.topic && order < leased.order && status !== 'failed',
    );
  }

  async #leased(eventId: string, leaseId: string): Promise<InboxFile | undefined> {
    return (await this.#unfinished()).find(
      (file) => file.eventId === eventId && file.status === 'leased' && file.tag === leaseId,
    );
  }

  #unfinished(): Promise<readonly InboxFile[]> {
    return this.#files(this.#folders.events);
  }

  async #files(folder: string): Promise<readonly InboxFile[]> {
    const files = (await this.#steps.names(folder)).map(parseFileName).filter((file) => file !== undefined);
    return files.sort((one, other) => one.order - other.order || (one.eventId < other.eventId ? -1 : 1));
  }

  async #rename(from: InboxFile, to: InboxFile): Promise<boolean> {
    const { events } = this.#folders;
    return await this.#steps.move(join(events, toFileName(from)), join(events, toFileName(to)));
  }

  async #noteReason(eventId: string, reason: string | null): Promise<void> {
    if (reason === null) return;
    const file = join(this.#folders.reasons, eventId);
    const part = `${file}.${newTag()}.part`;
    await this.#steps.write(part, reason);
    await this.#steps.move(part, file);
  }

  // Not at every end: looking through the folder costs more the more there is.
  async #forgetOldest(): Promise<void> {
    this.#finishedHere += 1;
    if (this.#finishedHere % Math.ceil(this.#limits.finishedMax / 10) !== 1 && this.#limits.finishedMax > 10) return;
    const { finished, seen } = this.#folders;
    const files = await this.#files(finished);
    for (const file of files.slice(0, Math.max(0, files.length - this.#limits.finishedMax))) {
      // In this order a crash between the two leaves a file that the next round removes.
      await this.#steps.remove(join(seen, file.eventId));
      await this.#steps.remove(join(finished, toFileName(file)));
    }
  }

  #nextOrder(nowMs: number): number {
    this.#lastOrder = Math.max(nowMs * 1_000, this.#lastOrder + 1);
    return this.#lastOrder;
  }
}

function holds(file: InboxFile, leaseId: string | undefined): boolean {
  return leaseId === undefined || (file.status === 'leased' && file.tag === leaseId);
}

function newTag(): string {
  return randomBytes(8).toString('hex');
}

function copyOf(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value['copy'] : undefined;
}

function orderOf(copy: unknown): number {
  return (typeof copy === 'string' ? parseFileName(copy) : undefined)?.order ?? 0;
}

function readEvent(text: string, eventId: string): StoredEvent {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || typeof value['kind'] !== 'string')
    throw new Error(`The file of event ${eventId} is not whole.`);
  return { event_id: eventId, kind: value['kind'], payload: value['payload'] };
}
