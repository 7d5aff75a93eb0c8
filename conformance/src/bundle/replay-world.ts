import { setImmediate as turn } from 'node:timers/promises';
import { isObject } from '../context/json.ts';
import { makeChannelNamer, randomStream } from '../world/live-world.ts';
import { type Channel, listenOnlyChannels, type RunWorld } from '../world/world.ts';
import type { Bundle, RecordEntry } from './bundle.ts';
import { decodeValue, encodeValue, formatCanonicalJson } from './encoding.ts';
import { changeAuthorization, inputDigest, replaceUnknownToken } from './recording.ts';

export class RecordMismatch extends Error {
  override readonly name = 'RecordMismatch';
}

type Heard = Extract<RecordEntry, { readonly hears: unknown }>;
type Sent = Exclude<RecordEntry, Heard>;

// Long enough for busy machines: a replayed run waits only for its own computations.
const waitMaxMs = 3_000;

/**
 * Opens a world that answers from the record of a bundle: it delivers each recorded input when its channel is open, and
 * the run must send the recorded outputs.
 */
export function openReplay(bundle: Bundle) {
  const startMs = Date.parse(bundle.started_at);
  const heard = bundle.record.filter((entry): entry is Heard => 'hears' in entry);
  const sent = bundle.record.filter((entry): entry is Sent => !('hears' in entry));
  const known = new Set(bundle.secrets);
  const lines = new Map<string, (event: unknown) => void>();
  const nameLine = makeChannelNamer();
  const broken = Promise.withResolvers<never>();
  let [sentSoFar, atMs] = [0, startMs];
  const take = (actual: Sent): unknown => {
    const recorded = sent[sentSoFar];
    sentSoFar += 1;
    if (isSameStep(recorded, actual)) return 'is' in recorded ? decodeValue(recorded.is) : undefined;
    const found = recorded === undefined ? 'the record ends before it' : `the record has ${describe(recorded)}`;
    const error = new RecordMismatch(`step ${sentSoFar} of the run is ${describe(actual)}, and ${found}`);
    broken.reject(error);
    throw error;
  };
  const world: RunWorld = {
    secrets: [...bundle.secrets, ...bundle.wrong_tokens],
    now: () => atMs,
    randomBytes: randomStream(Buffer.from(bundle.entropy, 'hex')),
    hide: () => undefined,
    value: <T>(what: string, input: unknown): T =>
      take({ value: what, of: inputDigest(encodeValue(input, asIs)), is: null }) as T,
    open: <E>(
      kind: Parameters<RunWorld['open']>[0],
      input: unknown,
      _start: unknown,
      hear: (event: E) => void,
    ): Channel => {
      const line = nameLine(kind);
      const asks = () =>
        encodeValue(
          changeAuthorization(input, (header) => replaceUnknownToken(header, known)),
          asIs,
        );
      if (!listenOnlyChannels.includes(kind)) take({ line, asks: asks() });
      lines.set(line, (event) => hear(event as E));
      return {
        send: (data) => void take({ line, says: encodeValue(data, asIs) }),
        close: () => void lines.delete(line),
      };
    },
  };
  /** Delivers the record to a run and returns the run's result. */
  const play = async <T>(run: () => Promise<T>): Promise<T> => {
    // Prevents an unhandled rejection before the promise is awaited below.
    broken.promise.catch(() => undefined);
    let isOver = false;
    const result = run().finally(() => {
      isOver = true;
    });
    result.catch(() => undefined);
    const deliver = async () => {
      for (const [index, { line, at, hears }] of heard.entries()) {
        const hear = await until(() => (isOver ? false : lines.get(line)));
        if (hear === undefined || hear === false)
          throw new RecordMismatch(`event ${index + 1} of the record is on ${line}, but the run does not expect it`);
        atMs = startMs + at;
        hear(decodeValue(hears));
      }
      await until(() => (isOver ? true : undefined));
      if (!isOver) throw new RecordMismatch('the record ends before the run does');
      if (sentSoFar < sent.length)
        throw new RecordMismatch(`the record continues after the run, with ${describe(sent[sentSoFar])}`);
    };
    await Promise.race([deliver(), broken.promise]);
    return await result;
  };
  return { world, play };
}

// Nothing needs cleaning, because a replay contains placeholders instead of secrets.
const asIs = (text: string) => text;

function isSameStep(recorded: Sent | undefined, actual: Sent): recorded is Sent {
  const withoutResult = (entry: Sent) => formatCanonicalJson({ ...entry, is: undefined });
  return recorded !== undefined && withoutResult(recorded) === withoutResult(actual);
}

async function until<T>(see: () => T | undefined): Promise<T | undefined> {
  const giveUpAt = performance.now() + waitMaxMs;
  for (;;) {
    await turn();
    const seen = see();
    if (seen !== undefined || performance.now() > giveUpAt) return seen;
  }
}

function describe(entry: Sent | undefined): string {
  if (entry === undefined) return 'nothing';
  if ('value' in entry) return `a value (${entry.value})`;
  if ('says' in entry) return `a frame on ${entry.line}`;
  const { method, path } = (isObject(entry.asks) ? entry.asks : {}) as {
    readonly method?: unknown;
    readonly path?: unknown;
  };
  return path === undefined ? entry.line : [method ?? 'a connection to', path].map(String).join(' ').slice(0, 200);
}
