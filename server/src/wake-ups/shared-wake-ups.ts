import { newId } from '../platform/new-id.ts';
import type { OnWakeUp, WakeReason, WakeUps } from './wake-ups.ts';

/** A channel between processes: whatever one publishes, all of them hear, the one itself included. */
interface Channel {
  /** Rejects when it could not be published; nobody tries again. */
  publish(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a channel. `missed` is called whenever something may have been said while nobody listened. */
export type OpenChannel = (heard: (text: string) => void, missed: () => void) => Channel;

/** PostgreSQL takes 8,000 bytes in one notification; an id has 36 and two quotes and a comma. */
const idsPerTextMax = 150;

/** Room in a window may come a moment later than an event; acknowledgements then cost a few notifications a second. */
const settledEveryMs = 250;

/** The first text after a rest goes at once; while much happens, they are this far apart and each tells of more. */
const apartMs = 10;

interface WakeText {
  readonly from: string;
  readonly reason: WakeReason;
  readonly agents: readonly string[];
}

/**
 * Wake-ups over a channel. At most one text is under way; the agents that come up
 * meanwhile go into the next one, each once.
 */
export function shareWakeUps(open: OpenChannel, hear: OnWakeUp): WakeUps {
  const processId = newId();
  const due: Record<WakeReason, Set<string>> = { mail: new Set(), settled: new Set(), access: new Set() };
  let isTelling = false;
  let isSoon = false;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let later: NodeJS.Timeout | undefined;

  const channel = open(
    (text) => {
      const heard = parse(text);
      if (heard !== undefined && heard.from !== processId) hear(heard.reason, heard.agents);
    },
    () => {
      hear('access', 'all');
      hear('mail', 'all');
    },
  );

  async function tell(reasons: readonly WakeReason[]): Promise<void> {
    if (isTelling) return;
    isTelling = true;
    for (const reason of reasons) {
      while (due[reason].size > 0 && !isClosed) {
        const agents = [...due[reason]].slice(0, idsPerTextMax);
        for (const agent of agents) due[reason].delete(agent);
        const text: WakeText = { from: processId, reason, agents };
        // Whoever did not hear of it looks by itself.
        await channel.publish(JSON.stringify(text)).catch(() => undefined);
      }
    }
    isTelling = false;
    toldAtMs = performance.now();
    if (due.access.size + due.mail.size > 0 && !isClosed) tellSoon();
  }

  function tellSoon(): void {
    if (isSoon) return;
    isSoon = true;
    const waitMs = toldAtMs + apartMs - performance.now();
    const tellNow = () => {
      isSoon = false;
      void tell(['access', 'mail']);
    };
    // What is committed in the same turn goes into the same text.
    if (waitMs <= 0) setImmediate(tellNow);
    else setTimeout(tellNow, waitMs).unref();
  }

  return {
    notifyOthers: (reason, agentIds) => {
      for (const id of agentIds) due[reason].add(id);
      if (reason !== 'settled') tellSoon();
      else later ??= setTimeout(tellSettled, settledEveryMs).unref();
    },
    close: async () => {
      isClosed = true;
      clearTimeout(later);
      await channel.close();
    },
  };

  function tellSettled(): void {
    later = undefined;
    if (isTelling) later = setTimeout(tellSettled, settledEveryMs).unref();
    else void tell(['access', 'mail', 'settled']);
  }
}

// The channel is open to whoever may use the database; what is no wake-up of ours is passed over.
function parse(text: string): WakeText | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isWakeText(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isWakeText(value: unknown): value is WakeText {
  if (typeof value !== 'object' || value === null) return false;
  const { from, reason, agents } = value as Partial<Record<keyof WakeText, unknown>>;
  return (
    typeof from === 'string' &&
    (reason === 'mail' || reason === 'settled' || reason === 'access') &&
    Array.isArray(agents) &&
    agents.every((agent) => typeof agent === 'string')
  );
}
