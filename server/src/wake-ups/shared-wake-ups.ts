import Type, { type Static } from 'typebox';
import { Check } from 'typebox/schema';
import { newId } from '../platform/crypto.ts';
import { type WakeReason, type WakeUpHandler, type WakeUps, wakeReasons } from './wake-ups.ts';

/** A channel between processes: every process receives each published text, including its own. */
interface Channel {
  /** Publishes a text once; rejects if it could not be published. */
  publish(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a channel. `missed` is called whenever texts may have been lost. */
export type ChannelOpener = (heard: (text: string) => void, missed: () => void) => Channel;

/** PostgreSQL allows 8,000 bytes per notification; an id takes 36 bytes plus two quotes and a comma. */
const idsPerTextMax = 150;

/** The interval of `settled` wake-ups: acks are frequent, and space in a window is less urgent than an event. */
const settledEveryMs = 250;

/** The minimum interval between texts under load; the first text after a pause is sent immediately. */
const apartMs = 10;

const WakeText = Type.Object({
  reason: Type.Enum([...wakeReasons]),
  agents: Type.Array(Type.String()),
});

/** At most one text is in flight; the next one names all agents that were added since, each only once. */
export function shareWakeUps(open: ChannelOpener, hear: WakeUpHandler): WakeUps {
  const ownStart = `{"from":"${newId()}",`;
  const due: Record<WakeReason, Set<string>> = { mail: new Set(), settled: new Set(), access: new Set() };
  let isTelling = false;
  let isSoon = false;
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let isClosed = false;
  let later: NodeJS.Timeout | undefined;

  const channel = open(
    (text) => {
      // Under load, most texts are this process's own; parsing them would take 2 % of its time.
      if (text.startsWith(ownStart)) return;
      const heard = parse(text);
      if (heard !== undefined) hear(heard.reason, heard.agents);
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
        // A process that misses a notification detects the change in its own periodic check.
        await channel
          .publish(`${ownStart}"reason":"${reason}","agents":${JSON.stringify(agents)}}`)
          .catch(() => undefined);
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
    // Commits in the same event loop turn share a text.
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

// Every user of the database can publish on the channel, so invalid texts are ignored.
function parse(text: string): Static<typeof WakeText> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Check(WakeText, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
