import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env, version as nodeVersion } from 'node:process';
import type { Logger } from '../platform/logger.ts';
import { serverVersion } from '../platform/versions.ts';
import {
  type InspectionResult,
  InspectorProcess,
  type InspectorSetup,
  InspectorTimeout,
  InspectorUnavailable,
} from './inspector-process.ts';
import { type Isolation, makeSameUserIsolation } from './isolation.ts';
import { Launcher } from './launcher.ts';
import type { FileVerdict } from './parse-verdict.ts';
import type { InspectionRequest } from './verdict.ts';

/** The reason of `signal` is an `InspectionAborted`. */
export interface ShortInspectionLimits {
  readonly withinMs: number;
  readonly signal: AbortSignal;
}

/** `ownerId` is the agent whose files the process has inspected, if any. */
interface IdleInspector {
  readonly inspector: InspectorProcess;
  readonly ownerId: string | undefined;
}

/** The time after which an idle process is ended. */
const idleMs = 10_000;

/** The delay before starting a process for the next file, so that the response to this upload is sent first. */
const refillAfterMs = 100;

/** The maximum number of fresh idle processes, which suffices for the usual number of checks. */
const freshMax = 2;

/** The maximum number of idle processes, including those that wait for another file of an agent. */
const idleMax = 3;

/**
 * Inspects files in separate processes. After accepting an image, a process may inspect the next image of the same
 * agent, but never another agent's, so that a process that a hostile file controls can only harm files of its owner. A
 * used process may only accept images; after any other verdict, a fresh process repeats the inspection. Fresh processes
 * are started in advance for agents whose files are expected, plus one for the next agent; others start on demand.
 */
export class InspectorPool {
  readonly #log: Logger;
  readonly #setup: InspectorSetup;
  readonly #running = new Set<InspectorProcess>();
  readonly #expectedOwners: () => readonly string[];
  #idle: readonly IdleInspector[] = [];
  #isClosed = false;

  /** `expectedOwners` returns the agents of files that will soon need an inspection. */
  constructor(log: Logger, setup: Omit<InspectorSetup, 'launcher'>, expectedOwners: () => readonly string[]) {
    this.#log = log;
    this.#setup = { ...setup, launcher: new Launcher() };
    this.#expectedOwners = expectedOwners;
    fillCompileCache(this.#setup).catch((error: unknown) => {
      if (!this.#isClosed) log.warn({ err: error }, 'could not fill the folder of compiled code');
    });
  }

  /** Starts a process for each agent that has none and whose file is expected: at least one, at most `freshMax`. */
  startExpected(): void {
    const isServed = (ownerId: string) => this.#idle.some((idle) => idle.ownerId === ownerId);
    const expected = new Set(this.#expectedOwners().filter((ownerId) => !isServed(ownerId)));
    const wanted = Math.min(freshMax, Math.max(1, expected.size));
    const fresh = this.#idle.filter(({ ownerId }) => ownerId === undefined);
    try {
      for (let count = fresh.length; count < wanted; count += 1) {
        if (this.#isClosed || !this.#makeRoom()) return;
        this.#addIdle({ inspector: this.#start(), ownerId: undefined });
      }
    } catch (error) {
      // The inspection of the file will fail in the same way and report it.
      this.#log.warn({ err: error }, 'could not start an inspector in advance');
    }
  }

  /**
   * Inspects a file within the limits, or within the shorter limits of `brief`.
   *
   * @throws InspectorUnavailable, InspectorTimeout (both the machine's fault), InspectionAborted (because of `brief`)
   */
  async inspect(request: InspectionRequest, ownerId: string, brief?: ShortInspectionLimits): Promise<FileVerdict> {
    const inspector = this.#take([ownerId, undefined]);
    // If files are waiting, the next process starts in parallel with this inspection, otherwise after it.
    if (this.#expectedOwners().length > 0) this.startExpected();
    const begunMs = performance.now();
    const run = (by: InspectorProcess, inspection: InspectionRequest) =>
      this.#run(by, ownerId, by.inspect(inspection, brief?.withinMs, begunMs), brief?.signal);
    if (!inspector.isUsed) return await run(inspector, request);
    const accepts = request.accepts.filter((type) => type !== 'application/pdf');
    const verdict = await run(inspector, { ...request, accepts });
    if (verdict.kind === 'accepted') return verdict;
    return await run(this.#take([undefined]), request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const inspector of this.#running) inspector.end();
    await Promise.allSettled([...this.#running].map((inspector) => inspector.whenEnded()));
    await this.#setup.launcher.close();
  }

  async #run(
    inspector: InspectorProcess,
    ownerId: string,
    inspecting: Promise<InspectionResult>,
    cut?: AbortSignal,
  ): Promise<FileVerdict> {
    const end = () => inspector.end();
    cut?.addEventListener('abort', end);
    if (cut?.aborted) end();
    const inspected = await inspecting.catch((error: unknown) => {
      if (cut?.aborted) throw cut.reason;
      if (error instanceof InspectorTimeout)
        this.#log.warn({ cause: error.message }, 'the machine is too busy for a file check');
      inspector.end();
      throw error;
    });
    cut?.removeEventListener('abort', end);
    const { verdict, trouble } = inspected;
    if (trouble !== undefined) cut?.throwIfAborted();
    if (trouble !== undefined && this.#isClosed) throw new InspectorUnavailable('The server is stopping.');
    if (trouble !== undefined) this.#log.warn({ trouble }, 'a file crashed its inspector process');
    void this.#reuse(inspector, inspected, ownerId);
    return verdict;
  }

  async #reuse(inspector: InspectorProcess, { verdict }: InspectionResult, ownerId: string): Promise<void> {
    const isImage = verdict.kind === 'accepted' && verdict.mediaType !== 'application/pdf';
    const isFit = isImage && (await inspector.isFit());
    // Must follow the `await`, during which other processes may have become idle.
    if (isFit && !this.#isClosed && this.#makeRoom()) this.#addIdle({ inspector, ownerId });
    else inspector.end();
    // The start is delayed, because it blocks this process for several milliseconds, and another file often follows.
    setTimeout(() => this.startExpected(), refillAfterMs).unref();
  }

  #start(): InspectorProcess {
    const inspector = makeInspector(this.#setup);
    this.#running.add(inspector);
    const forget = () => {
      this.#running.delete(inspector);
      this.#removeIdle(inspector);
    };
    inspector.whenEnded().then(forget, (error: unknown) => {
      forget();
      this.#log.warn({ err: error }, 'could not remove the folder of an inspector');
    });
    return inspector;
  }

  // If there are too many idle processes, ends the oldest one that waits for another file of its agent.
  #makeRoom(): boolean {
    if (this.#idle.length < idleMax) return true;
    const oldest = this.#idle.find(({ ownerId }) => ownerId !== undefined);
    if (oldest !== undefined) this.#retire(oldest);
    return oldest !== undefined;
  }

  // Prefers a process of the same agent, which is warm, and then the oldest idle one, which is most likely to be ready.
  #take(ownerIds: readonly (string | undefined)[]): InspectorProcess {
    const found = ownerIds.flatMap((ownerId) => this.#idle.filter((idle) => idle.ownerId === ownerId))[0];
    if (found === undefined) return this.#start();
    this.#removeIdle(found.inspector);
    return found.inspector;
  }

  #addIdle(idle: IdleInspector): void {
    this.#idle = [...this.#idle, idle];
    setTimeout(() => {
      if (this.#idle.includes(idle)) this.#retire(idle);
    }, idleMs).unref();
  }

  #removeIdle(inspector: InspectorProcess): void {
    this.#idle = this.#idle.filter((idle) => idle.inspector !== inspector);
  }

  #retire({ inspector }: IdleInspector): void {
    this.#removeIdle(inspector);
    inspector.end();
  }
}

// Creating the inspector's folder fails on a full disk.
function makeInspector(setup: InspectorSetup): InspectorProcess {
  try {
    return new InspectorProcess(setup);
  } catch (error) {
    throw new InspectorUnavailable('The folder of an inspector could not be created.', { cause: error });
  }
}

export async function startAndStopInspector(setup: Omit<InspectorSetup, 'folder'>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'inspector-'));
  const inspector = new InspectorProcess({ ...setup, folder });
  try {
    await inspector.start();
  } finally {
    inspector.finish();
    await inspector.whenEnded();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The folder of compiled code that Node.js processes share; undefined without `NODE_COMPILE_CACHE`. */
export const sharedCompileCache = env['NODE_COMPILE_CACHE'] || undefined;

/**
 * Returns the folder of compiled code for inspectors: the shared one, otherwise the server's. Isolated inspectors can
 * read but not write it, because code planted there would run in the server or in inspectors of other agents. Without
 * isolation, the server therefore has no such folder.
 */
export function openCompileCache(
  { kind }: Pick<Isolation, 'kind'>,
  ownFolder: string,
  shared: string | undefined,
): string | undefined {
  const folder = shared ?? (kind === 'none' ? undefined : ownFolder);
  if (folder !== undefined) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

// Fills the folder by starting an inspector without a file, unless one of this version has already filled it.
async function fillCompileCache(setup: InspectorSetup): Promise<void> {
  if (setup.compileCache === undefined) return;
  const marker = join(setup.compileCache, `inspector-${serverVersion}-${nodeVersion}`);
  if (existsSync(marker)) return;
  await startAndStopInspector({ ...setup, isolation: makeSameUserIsolation(setup.isolation) });
  await writeFile(marker, '');
}
