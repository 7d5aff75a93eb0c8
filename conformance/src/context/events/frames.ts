import { isObject, type JsonObject, parseJson } from '../json.ts';

/** Something that was said on a connection, and by whom. */
export interface Frame {
  /** Since the connection was asked for. */
  readonly atMs: number;
  readonly from: 'server' | 'suite';
  readonly text: string;
  readonly isBinary: boolean;
}

/** How a connection ended. */
export interface ConnectionEnding {
  readonly atMs: number;
  /** That of the close frame; 1006 where none came. */
  readonly code: number;
  readonly reason: string;
}

/** An event as it came. */
export interface StreamEvent {
  readonly id: string;
  readonly kind: string;
  readonly payload: unknown;
}

// Every waiter reads all frames after each new one; each is parsed once.
const parsed = new WeakMap<Frame, unknown>();

/** The JSON objects that the server sent. */
export function messagesOf(frames: readonly Frame[]): readonly JsonObject[] {
  return frames
    .filter(({ from, isBinary }) => from === 'server' && !isBinary)
    .map((frame) => {
      if (!parsed.has(frame)) parsed.set(frame, parseJson(frame.text));
      return parsed.get(frame);
    })
    .filter(isObject);
}

/** The events that can be told apart; what lacks an id is for the check of their form. */
export function eventsOf(frames: readonly Frame[]): readonly StreamEvent[] {
  return messagesOf(frames).flatMap(({ type, event_id: id, kind, payload }: Partial<Record<string, unknown>>) =>
    type === 'event' && typeof id === 'string' ? [{ id, kind: String(kind), payload }] : [],
  );
}

/** The events whose acks were answered. */
export function ackedOf(frames: readonly Frame[]): readonly string[] {
  return messagesOf(frames).flatMap(({ type, event_id: id }: Partial<Record<string, unknown>>) =>
    type === 'acked' && typeof id === 'string' ? [id.toLowerCase()] : [],
  );
}

// So little that a report need not shorten the whole, for what came last matters most.
const shownFirst = 2;
const shownLast = 5;
const shownMaxLength = 240;

/** A connection for people: who said what, when, and how it ended. */
export function formatTranscript(
  frames: readonly Frame[],
  ending: ConnectionEnding | undefined,
  clean: (text: string) => string,
): string {
  const lines = frames.map((frame) => printFrame(frame, clean));
  const left = lines.length - shownFirst - shownLast;
  const shown =
    left > 0 ? [...lines.slice(0, shownFirst), `  (${left} frames left out)`, ...lines.slice(-shownLast)] : lines;
  const end = ending === undefined ? [] : [`${printTime(ending.atMs)} closed ${ending.code} ${clean(ending.reason)}`];
  return [...shown, ...end].map((line) => line.trimEnd()).join('\n');
}

// Secrets are cut out of the whole before it is shortened, so that none is cut in two.
function printFrame({ atMs, from, text, isBinary }: Frame, clean: (text: string) => string): string {
  const whole = isBinary ? `(binary, ${text.length / 2} bytes) ${text}` : clean(text);
  const shown =
    whole.length > shownMaxLength ? `${whole.slice(0, shownMaxLength)}… (${text.length} characters)` : whole;
  return `${printTime(atMs)} ${from === 'server' ? '<' : '>'} ${shown}`;
}

function printTime(ms: number): string {
  return `+${(ms / 1_000).toFixed(3)}`;
}
