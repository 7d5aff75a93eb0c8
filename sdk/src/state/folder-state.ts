import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { StateError } from '../errors.ts';
import { isRecord } from '../transport/parse-response.ts';
import {
  type ClientState,
  type FullStateLimits,
  type OpenedState,
  type PendingStore,
  type Pin,
  type PinStore,
  type StateLimits,
  type StateOwner,
  stateFormat,
} from './client-state.ts';
import { FolderInbox } from './folder-inbox.ts';
import { diskSteps, type FolderSteps } from './folder-steps.ts';
import { refuseOtherOwner } from './memory-state.ts';
import { readStateLimits } from './state-limits.ts';

/**
 * Keeps the state in a folder of small files that their owner alone can read
 * (0600, folders 0700), on a file system of this machine that knows hard links.
 * Several processes may share it; what is kept is on the disk when a call
 * resolves, and no moment at which a process dies leaves half of anything.
 *
 * @throws ConfigurationError a limit is no integer from 1 to 1,000,000
 * @example
 * const platform = new AgentPlatform({ baseUrl, credentials, state: folderState('./alice-state') });
 */
export function folderState(path: string, limits: StateLimits = {}): ClientState {
  return folderStateBy(diskSteps, path, limits);
}

/** The same by other steps than those of the real disk: a test ends the process at each of them. */
export function folderStateBy(steps: FolderSteps, path: string, limits: StateLimits): ClientState {
  const full = readStateLimits(limits);
  const folder = resolve(path);
  return {
    open: (owner) => openFolder(steps, folder, owner, full),
    close: async () => undefined,
  };
}

async function openFolder(
  steps: FolderSteps,
  folder: string,
  owner: StateOwner,
  limits: FullStateLimits,
): Promise<OpenedState> {
  const outboxFolder = join(folder, 'outbox');
  const operationFolder = join(folder, 'operations');
  const pinFolder = join(folder, 'pins');
  const inbox = new FolderInbox(join(folder, 'inbox'), steps, limits);
  await steps.makeFolder(folder);
  await claim(steps, folder, owner);
  for (const name of [outboxFolder, operationFolder, pinFolder]) await steps.makeFolder(name);
  await inbox.prepare();
  const { outboxMax } = limits;
  return {
    outbox: folderPending(steps, outboxFolder, outboxMax, ({ envelope }) => envelope.client_message_id),
    operations: folderPending(steps, operationFolder, outboxMax, ({ operation_id }) => operation_id),
    inbox,
    pins: folderPins(steps, pinFolder),
  };
}

async function claim(steps: FolderSteps, folder: string, owner: StateOwner): Promise<void> {
  const file = join(folder, 'state.json');
  await writeOnce(steps, file, `${JSON.stringify({ format: stateFormat, ...owner })}\n`);
  const stored: unknown = JSON.parse((await steps.read(file)) ?? 'null');
  if (!isRecord(stored) || typeof stored['format'] !== 'number') {
    throw new StateError('state_unusable', `${file} does not say whose state it is. Use another folder.`);
  }
  if (stored['format'] > stateFormat) {
    throw new StateError('state_newer', `${folder} was written by a later version of this package. Update this one.`);
  }
  const { origin, bot_id } = stored;
  refuseOtherOwner({ origin: String(origin), bot_id: String(bot_id) }, owner, folder);
}

interface OrderedEntry<Entry> {
  readonly order: number;
  readonly entry: Entry;
}

function folderPending<Entry extends { readonly kept_at: string }>(
  steps: FolderSteps,
  folder: string,
  max: number,
  idOf: (entry: Entry) => string,
): PendingStore<Entry> {
  const fileOf = (id: string) => join(folder, `${id.toLowerCase()}.json`);
  let lastOrder = 0;
  return {
    keep: async (entry) => {
      const file = fileOf(idOf(entry));
      if ((await steps.read(file)) !== undefined) return 'known';
      if ((await entryNames(steps, folder)).length >= max) return 'full';
      // Two of one millisecond have an order too.
      lastOrder = Math.max(Date.parse(entry.kept_at) * 1_000, lastOrder + 1);
      return (await writeOnce(steps, file, JSON.stringify({ order: lastOrder, entry }))) ? 'kept' : 'known';
    },
    list: async () => {
      const entries: OrderedEntry<Entry>[] = [];
      for (const name of await entryNames(steps, folder)) {
        const text = await steps.read(join(folder, name));
        // The border to what this package has written.
        if (text !== undefined) entries.push(JSON.parse(text) as OrderedEntry<Entry>);
      }
      return entries.sort((one, other) => one.order - other.order).map(({ entry }) => entry);
    },
    remove: async (id) => {
      await steps.remove(fileOf(id));
      await steps.sync(folder);
    },
  };
}

function folderPins(steps: FolderSteps, folder: string): PinStore {
  const fileOf = (botId: string) => join(folder, `${botId.toLowerCase()}.json`);
  const get = async (botId: string) => {
    const text = await steps.read(fileOf(botId));
    return text === undefined ? undefined : (JSON.parse(text) as Pin);
  };
  return {
    get,
    keep: async (pin) => {
      await writeOnce(steps, fileOf(pin.bot_id), JSON.stringify(pin));
      return (await get(pin.bot_id)) ?? pin;
    },
    replace: async (pin) => {
      const file = fileOf(pin.bot_id);
      const part = partOf(file);
      await steps.write(part, JSON.stringify(pin));
      await steps.move(part, file);
      await steps.sync(folder);
    },
    list: async () => {
      const pins = await Promise.all(
        (await entryNames(steps, folder)).map((name) => get(name.slice(0, -'.json'.length))),
      );
      return pins.filter((pin) => pin !== undefined);
    },
  };
}

/** Writes a file as a whole unless it is there; false when it is. */
async function writeOnce(steps: FolderSteps, file: string, text: string): Promise<boolean> {
  if ((await steps.read(file)) !== undefined) return false;
  const part = partOf(file);
  await steps.write(part, text);
  const isNew = await steps.link(part, file);
  await steps.remove(part);
  await steps.sync(join(file, '..'));
  return isNew;
}

async function entryNames(steps: FolderSteps, folder: string): Promise<readonly string[]> {
  return (await steps.names(folder)).filter((name) => name.endsWith('.json'));
}

function partOf(file: string): string {
  return `${file}.${randomBytes(6).toString('hex')}.part`;
}
