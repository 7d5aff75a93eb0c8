/** An output stream of the program. */
export interface Screen {
  /** False for a pipe or a file. */
  readonly isTerminal: boolean;
  /** Width in columns; meaningful on a terminal only. */
  readonly columns: number;
  write(text: string): void;
  /** Writes a question, also where notes are not wanted. */
  ask(text: string): void;
  /**
   * Waits until everything is written. False once the reader of a pipe has gone: later output is dropped.
   *
   * @throws Error of the file system, where the output cannot be written
   */
  flush(): Promise<boolean>;
}

/** The input stream of the program. */
export interface Keyboard {
  readonly isTerminal: boolean;
  /** Reads to the end; refuses more than `maxBytes`. */
  readAll(maxBytes: number): Promise<string>;
  /** Reads one line, without its end; undefined when the stream ends first. */
  readLine(): Promise<string | undefined>;
  /** Reads one line from a terminal that does not show it; undefined when the stream ends first. */
  readSecret(): Promise<string | undefined>;
  /**
   * Reads line after line until the stream ends or the signal aborts. On a terminal `prompt` stands
   * before the input, and output appears above the line.
   */
  lines(prompt: string, until: AbortSignal): AsyncIterable<string>;
}

/**
 * The process as the program sees it. `main.ts` makes it from `process`; a test
 * makes it from strings.
 */
export interface Io {
  readonly stdin: Keyboard;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder behind `~`. */
  readonly homeFolder: string;
  /** The version of Node.js, without its `v`. */
  readonly nodeVersion: string;
  now(): Date;
  /** Aborted, with an `Interruption` as its reason, on an interruption. */
  readonly signal: AbortSignal;
}

/** The same process without notes on stderr; questions stay. */
export function withoutNotes(io: Io): Io {
  return { ...io, stderr: { ...io.stderr, write: () => undefined } };
}

/** A setting from the environment; an empty one counts as absent. */
export function readEnv(io: Pick<Io, 'env'>, name: string): string | undefined {
  const value = io.env[name];
  return value === '' ? undefined : value;
}
