import type { Logger } from '../platform/logger.ts';
import { type InspectorLimits, InspectorProcess, InspectorUnavailable, inspectorLimits } from './inspector-process.ts';
import type { Inspection, Verdict } from './verdict.ts';

/** Inspects foreign files, each in a process that serves no other file. */
export interface Inspectors {
  /** Says that a file is on its way, so that a process is ready when it has arrived. */
  expect(): void;
  /** @throws InspectorUnavailable where the machine is at fault and not the file */
  inspect(inspection: Inspection): Promise<Verdict>;
  /** Ends what is still running. */
  close(): Promise<void>;
}

/** How long a process that was started ahead waits for a file. */
const waitForFileMs = 10_000;

/** A process is started for the next file when the upload of this one has had time to be answered. */
const refillAfterMs = 100;

/** As many as commonly work at the same time, so that one is ready when files follow each other. */
const waitingMax = 2;

/** Makes the inspectors of a server. A few processes wait ahead while files come; the others start when they are needed. */
export function makeInspectors(log: Logger, limits: InspectorLimits = inspectorLimits): Inspectors {
  const running = new Set<InspectorProcess>();
  const waiting: InspectorProcess[] = [];
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
    const at = waiting.indexOf(inspector);
    if (at !== -1) waiting.splice(at, 1);
  }

  function expect(): void {
    if (isClosed || waiting.length >= waitingMax) return;
    const inspector = start();
    waiting.push(inspector);
    const timer = setTimeout(() => {
      if (waiting.includes(inspector)) inspector.end();
    }, waitForFileMs);
    timer.unref();
  }

  return {
    expect,
    inspect: async (inspection) => {
      // The one that has waited longest is the likeliest to be ready.
      const inspector = waiting.shift() ?? start();
      const { verdict, trouble } = await inspector.inspect(inspection);
      if (trouble !== undefined && isClosed) throw new InspectorUnavailable('The server is stopping.');
      if (trouble !== undefined) log.warn({ trouble }, 'a file ended its inspector');
      // Files often come one after the other. Starting a process holds up everything else here for some milliseconds.
      setTimeout(expect, refillAfterMs).unref();
      return verdict;
    },
    close: async () => {
      isClosed = true;
      for (const inspector of running) inspector.end();
      await Promise.all([...running].map((inspector) => inspector.whenEnded()));
    },
  };
}
