import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DamagedFileError, VerifiedFileReader } from '../attachments/damage/verify-files-queries.ts';
import { attachmentIdOf } from '../attachments/file-keys.ts';
import { readFileRecords } from '../attachments/stored-file-queries.ts';
import type { FileStorage } from '../files/storage.ts';
import { isUnreadableFileError } from '../files/storage-failure.ts';
import type { Agent } from '../identity/agent.ts';
import { readAgentUsage } from '../identity/agent-list-queries.ts';
import { loadAgent } from '../identity/agent-queries.ts';
import type { ActRecorder } from '../identity/audit-commands.ts';
import { findBalances } from '../ledger/wallet-queries.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/crypto.ts';
import { errorCodeOf } from '../platform/error-facts.ts';
import { Refusal } from '../platform/refusal.ts';
import { formatTimestamp, formatTimestampOrNull, toSafeInteger } from '../store/decode.ts';
import type { Store } from '../store/store.ts';
import { openExportPages, type RowPages } from './export-queries.ts';

export interface ExportDependencies {
  readonly store: Store;
  readonly storage: FileStorage;
  readonly clock: Clock;
  readonly record: ActRecorder;
  /** Reports progress. */
  readonly note: (text: string) => void;
}

/** The version of the export format, which docs/operating/community.md describes. */
const formatVersion = 1;

/**
 * Writes all data of an agent into a new folder, in pages; concurrent changes may or may not be included. The folder is
 * complete once it contains `export.json`.
 */
export async function exportAgent(parts: ExportDependencies, name: string, folder: string) {
  const { store, clock, record } = parts;
  if (!isAbsolute(folder)) throw new Refusal('invalid_input', '--out must be an absolute path.');
  const agent = await store.read((reader) => loadAgent(reader, name));
  await claimFolder(folder);
  const unfinished = `${folder}.part-${newId()}`;
  try {
    await mkdir(join(unfinished, 'files'), { recursive: true, mode: 0o700 });
    await store.transact((writer) => record(writer, [{ agentId: agent.id, details: { folder } }]));
    const counts = await writeTables(parts, agent, unfinished);
    const files = await writeFiles(parts, agent.id, join(unfinished, 'files'));
    const manifest = {
      format: 'agent-platform-agent',
      format_version: formatVersion,
      exported_at: clock().toISOString(),
      agent: { id: agent.id, handle: agent.handle },
      counts: { ...counts, files: files.count },
      missing_files: files.missing,
    };
    await writeJson(join(unfinished, 'export.json'), manifest);
    await rename(unfinished, folder);
    return { folder, ...manifest };
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

// Reserves the name with an empty folder, which the finished folder replaces at the end.
async function claimFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    throw new Refusal('invalid_input', `${folder} exists. Choose a folder that does not exist.`);
  }
}

async function writeTables({ store, note }: ExportDependencies, agent: Agent, folder: string) {
  const usage = await store.read((reader) => readAgentUsage(reader, agent.id));
  await writeJson(join(folder, 'agent.json'), { ...describe(agent), ...usage });
  await writeJson(join(folder, 'wallet.json'), await describeWallet(store, agent.id));
  const counts: Record<string, number> = {};
  for (const [name, open] of Object.entries(openExportPages(store, agent.id))) {
    counts[name] = await writeArray(join(folder, `${name}.json`), open(), (count) => note(`${count} ${name} so far.`));
  }
  return counts;
}

function describe({ created_at, updated_at, suspended_at, ...agent }: Agent) {
  const { file_bytes_quota, text_bytes_quota, ...plain } = agent;
  return {
    ...plain,
    file_bytes_quota: file_bytes_quota === null ? null : toSafeInteger(file_bytes_quota),
    text_bytes_quota: text_bytes_quota === null ? null : toSafeInteger(text_bytes_quota),
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
    suspended_at: formatTimestampOrNull(suspended_at),
  };
}

async function describeWallet(store: Store, agentId: string) {
  const { available_minor, reserved_minor } = await findBalances(store, agentId);
  return { available_minor: toSafeInteger(available_minor), reserved_minor: toSafeInteger(reserved_minor) };
}

const ownerOnly = { mode: 0o600, flag: 'wx' } as const;

async function writeJson(path: string, value: object): Promise<void> {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`, ownerOnly);
}

const noteEveryMs = 1_000;

async function writeArray(path: string, pages: RowPages, note: (count: number) => void): Promise<number> {
  let count = 0;
  let toldAtMs = performance.now();
  async function* lines() {
    yield '[';
    for await (const page of pages) {
      for (const row of page) {
        yield `${count === 0 ? '' : ','}\n${JSON.stringify(row)}`;
        count += 1;
      }
      if (performance.now() - toldAtMs < noteEveryMs) continue;
      toldAtMs = performance.now();
      note(count);
    }
    yield '\n]\n';
  }
  await pipeline(Readable.from(lines()), createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  return count;
}

async function writeFiles({ store, storage }: ExportDependencies, agentId: string, folder: string) {
  const files = new VerifiedFileReader(storage, async () => undefined);
  const missing: string[] = [];
  const ids = new Set<string>();
  for await (const page of readFileRecords(store, agentId)) {
    for (const file of page) {
      ids.add(attachmentIdOf(file.key));
      const path = join(folder, file.key);
      try {
        await pipeline(await files.openWhole(file), createWriteStream(path, { mode: 0o600, flags: 'wx' }));
      } catch (error) {
        if (!(error instanceof DamagedFileError) && !isUnreadableFileError(error)) throw error;
        await rm(path, { force: true });
        missing.push(file.key);
      }
    }
  }
  return { count: ids.size, missing };
}
