/** An output stream of the program. */
export interface OutputStream {
  /** False for a pipe or a file. */
  readonly isTerminal: boolean;
  /** The width in columns; only meaningful on a terminal. */
  readonly columns: number;
  write(text: string): void;
  /** Writes a question, which is also shown if notes are disabled. */
  ask(text: string): void;
  /**
   * Waits until all output is written. Returns false if the reader of a pipe has exited, after which output is dropped.
   *
   * @throws Error of the file system if the output cannot be written
   */
  flush(): Promise<boolean>;
}

/** The program's input stream. */
export interface InputStream {
  readonly isTerminal: boolean;
  /** Reads the whole input; refuses more than `maxBytes`. */
  readAll(maxBytes: number): Promise<string>;
  /** Reads one line without its line break; undefined if the stream ends first. */
  readLine(): Promise<string | undefined>;
  /** Reads one line from a terminal without echo; undefined if the stream ends first. */
  readSecret(): Promise<string | undefined>;
  /**
   * Reads lines until the stream ends or the signal aborts. On a terminal, `prompt` is shown before the input, and
   * output appears above the input line.
   */
  lines(prompt: string, until: AbortSignal): AsyncIterable<string>;
}

/** The process resources that the program uses. `main.ts` makes them from `process`, tests from strings. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly homeFolder: string;
  /** The version of Node.js, without the leading `v`. */
  readonly nodeVersion: string;
  now(): Date;
  /** Aborted on an interruption; the reason is an `Interruption`. */
  readonly signal: AbortSignal;
}

/** Returns an `Io` that writes no notes to stderr, but still shows questions. */
export function withoutNotes(io: Io): Io {
  return { ...io, stderr: { ...io.stderr, write: () => undefined } };
}

/** Reads a setting from the environment; an empty one counts as absent. */
export function readEnv(io: Pick<Io, 'env'>, name: string): string | undefined {
  const value = io.env[name];
  return value === '' ? undefined : value;
}
