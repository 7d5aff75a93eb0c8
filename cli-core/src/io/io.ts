/** An output stream of the program. */
export interface Screen {
  /** False for a pipe or a file. */
  readonly isTerminal: boolean;
  /** The width in columns; only meaningful on a terminal. */
  readonly columns: number;
  write(text: string): void;
  /** Writes a question, even if notes are disabled. */
  ask(text: string): void;
  /**
   * Waits until everything is written. Returns false once the reader of a pipe has exited; later output is dropped.
   *
   * @throws Error of the file system if the output cannot be written
   */
  flush(): Promise<boolean>;
}

/** The program's input stream. */
export interface InputStream {
  readonly isTerminal: boolean;
  /** Reads to the end; refuses more than `maxBytes`. */
  readAll(maxBytes: number): Promise<string>;
  /** Reads one line without its line break; undefined if the stream ends first. */
  readLine(): Promise<string | undefined>;
  /** Reads one line from a terminal without echo; undefined if the stream ends first. */
  readSecret(): Promise<string | undefined>;
  /**
   * Reads lines until the stream ends or the signal aborts. On a terminal, `prompt` precedes the input, and output
   * appears above the line.
   */
  lines(prompt: string, until: AbortSignal): AsyncIterable<string>;
}

/** The parts of the process that the program uses. `main.ts` makes it from `process`; a test makes it from strings. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly homeFolder: string;
  /** The version of Node.js, without `v`. */
  readonly nodeVersion: string;
  now(): Date;
  /** Aborted on an interruption, with an `Interruption` as its reason. */
  readonly signal: AbortSignal;
}

/** The same process without notes on stderr; questions are still shown. */
export function withoutNotes(io: Io): Io {
  return { ...io, stderr: { ...io.stderr, write: () => undefined } };
}

/** A setting from the environment; an empty one counts as absent. */
export function readEnv(io: Pick<Io, 'env'>, name: string): string | undefined {
  const value = io.env[name];
  return value === '' ? undefined : value;
}
