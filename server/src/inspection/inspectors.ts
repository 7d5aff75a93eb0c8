import type { Logger } from '../platform/logger.ts';
import { type InspectorLimits, InspectorProcess, inspectorLimits } from './inspector-process.ts';
import type { Inspection, Verdict } from './verdict.ts';

/** Inspects foreign files, each in a process that serves no other file. */
export interface Inspectors {
  /** Says that a file is on its way, so that a process is ready when it has arrived. */
  expect(): void;
  inspect(inspection: Inspection): Promise<Verdict>;
  /** Ends what is still running. */
  close(): Promise<void>;
}

/** How long a process that was started ahead waits for a file. */
const waitForFileMs = 10_000;

/** Makes the inspectors of a server. At most one process waits ahead; the others start when they are needed. */
export function makeInspectors(log: Logger, limits: InspectorLimits = inspectorLimits): Inspectors {
  const running = new Set<InspectorProcess>();
  let waiting: { readonly inspector: InspectorProcess; readonly timer: NodeJS.Timeout } | undefined;
  let isClosed = false;

  function start(): InspectorProcess {
    const inspector = new InspectorProcess(limits);
    running.add(inspector);
    inspector.whenEnded().then(() => running.delete(inspector));
    return inspector;
  }

  function expect(): void {
    if (isClosed || waiting?.inspector.hasEnded === false) return;
    const inspector = start();
    waiting = { inspector, timer: setTimeout(() => inspector.end(), waitForFileMs).unref() };
  }

  function take(): InspectorProcess {
    const ahead = waiting;
    waiting = undefined;
    clearTimeout(ahead?.timer);
    return ahead === undefined || ahead.inspector.hasEnded ? start() : ahead.inspector;
  }

  return {
    expect,
    inspect: async (inspection) => {
      const { verdict, trouble } = await take().inspect(inspection);
      if (trouble !== undefined) log.warn({ trouble }, 'a file ended its inspector');
      return verdict;
    },
    close: async () => {
      isClosed = true;
      for (const inspector of running) inspector.end();
      await Promise.all([...running].map((inspector) => inspector.whenEnded()));
    },
  };
}
