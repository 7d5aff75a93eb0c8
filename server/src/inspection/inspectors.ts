import type { Logger } from '../platform/logger.ts';
import {
  type Inspected,
  type InspectorLimits,
  InspectorProcess,
  InspectorUnavailable,
  inspectorLimits,
} from './inspector-process.ts';
import type { FileVerdict, InspectionRequest } from './verdict.ts';

/**
 * Inspects foreign files in processes of their own. A process that has taken a
 * picture may look at the next one of the same agent, and of nobody else: what
 * a hostile file makes of it can do no more than the next file of its owner
 * could. It can accept pictures and nothing else; whatever it says otherwise is
 * judged once more by a process that has seen no file.
 */
export interface Inspectors {
  /** Says that a file of this agent is on its way, so that a process is ready when it has arrived. */
  expect(ownerId: string): void;
  /** @throws InspectorUnavailable where the machine is at fault and not the file */
  inspect(inspection: InspectionRequest, ownerId: string): Promise<FileVerdict>;
  /** Ends what is still running. */
  close(): Promise<void>;
}

/** A process without work, and whose files it has looked at, if any. */
interface Waiting {
  readonly inspector: InspectorProcess;
  readonly ownerId: string | undefined;
}

/** How long a process waits for a file. */
const waitForFileMs = 10_000;

/** A process is started for the next file when the upload of this one has had time to be answered. */
const refillAfterMs = 100;

/** As many as commonly work at the same time, so that one is ready when files follow each other. */
const waitingMax = 2;

/** Makes the inspectors of a server. A few processes wait ahead while files come; the others start when they are needed. */
export function makeInspectors(log: Logger, limits: InspectorLimits = inspectorLimits): Inspectors {
  const running = new Set<InspectorProcess>();
  let waiting: readonly Waiting[] = [];
  let isClosed = false;

  function start(): InspectorProcess {
    const inspector = new InspectorProcess(limits);
    running.add(inspector);
    inspector.whenEnded().then(() => {
      running.delete(inspector);
      leave(inspector);
    });
    return inspector;
  }

  function leave(inspector: InspectorProcess): void {
    waiting = waiting.filter((one) => one.inspector !== inspector);
  }

  function retire(one: Waiting): void {
    leave(one.inspector);
    one.inspector.end();
  }

  function join(one: Waiting): void {
    waiting = [...waiting, one];
    const timer = setTimeout(() => {
      if (waiting.includes(one)) retire(one);
    }, waitForFileMs);
    timer.unref();
  }

  // Its own first, which is warm; then the one that has waited longest and is the likeliest to be ready.
  function take(ownerIds: readonly (string | undefined)[]): InspectorProcess {
    const found = ownerIds.flatMap((ownerId) => waiting.filter((one) => one.ownerId === ownerId))[0];
    if (found === undefined) return start();
    leave(found.inspector);
    return found.inspector;
  }

  function startAhead(): void {
    if (!isClosed) join({ inspector: start(), ownerId: undefined });
  }

  // Those at work are likely to wait for a next file soon.
  function refill(): void {
    if (running.size < waitingMax) startAhead();
  }

  async function keep(inspector: InspectorProcess, { verdict }: Inspected, ownerId: string): Promise<void> {
    const isPicture = verdict.kind === 'accepted' && verdict.mediaType !== 'application/pdf';
    const isFit = isPicture && (await inspector.isFit());
    // Others may have come to wait meanwhile.
    if (isFit && !isClosed && waiting.length < waitingMax) join({ inspector, ownerId });
    else inspector.end();
    // Files often come one after the other. Starting a process holds up everything else here for some milliseconds.
    setTimeout(refill, refillAfterMs).unref();
  }

  async function judge(
    inspector: InspectorProcess,
    inspection: InspectionRequest,
    ownerId: string,
  ): Promise<FileVerdict> {
    const inspected = await inspector.inspect(inspection);
    const { verdict, trouble } = inspected;
    if (trouble !== undefined && isClosed) throw new InspectorUnavailable('The server is stopping.');
    if (trouble !== undefined) log.warn({ trouble }, 'a file ended its inspector process');
    void keep(inspector, inspected, ownerId);
    return verdict;
  }

  return {
    expect: (ownerId) => {
      const isServed = waiting.some((one) => one.ownerId === undefined || one.ownerId === ownerId);
      if (isServed) return refill();
      // All wait for the next files of others: the oldest makes room.
      const [oldest] = waiting;
      if (oldest !== undefined && waiting.length >= waitingMax) retire(oldest);
      startAhead();
    },
    inspect: async (inspection, ownerId) => {
      const inspector = take([ownerId, undefined]);
      if (inspector.isUsed) {
        const accepts = inspection.accepts.filter((type) => type !== 'application/pdf');
        const verdict = await judge(inspector, { ...inspection, accepts }, ownerId);
        if (verdict.kind === 'accepted') return verdict;
        return await judge(take([undefined]), inspection, ownerId);
      }
      return await judge(inspector, inspection, ownerId);
    },
    close: async () => {
      isClosed = true;
      for (const inspector of running) inspector.end();
      await Promise.all([...running].map((inspector) => inspector.whenEnded()));
    },
  };
}
