/** One of the two streams that the program writes to. */
export interface Screen {
  /** Whether a person looks at it; a pipe or a file is not a terminal. */
  readonly isTerminal: boolean;
  /** Width in columns; only meaningful on a terminal. */
  readonly columns: number;
  write(text: string): void;
}

/** The stream that the program reads from. */
export interface Keyboard {
  readonly isTerminal: boolean;
  /** Reads to the end; refuses more than `maxBytes`. */
  readAll(maxBytes: number): Promise<string>;
  /** Reads one line, without its end; undefined when the stream ends first. */
  readLine(): Promise<string | undefined>;
  /**
   * Reads line after line until the stream ends or the signal aborts. On a terminal `prompt` stands
   * before what is typed, and what the program writes meanwhile goes above it.
   */
  lines(prompt: string, until: AbortSignal): AsyncIterable<string>;
}

/**
 * Everything that the program knows of the process it runs in. `main.ts` makes
 * it from `process`; a test makes it from strings.
 */
export interface Io {
  readonly stdin: Keyboard;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that `~` stands for. */
  readonly homeFolder: string;
  /** The version of Node.js, without its `v`. */
  readonly nodeVersion: string;
  now(): Date;
  /** Aborted, with an `Interruption` as its reason, when the person gives up. */
  readonly signal: AbortSignal;
}

/** A setting from the environment; an empty one counts as absent. */
export function readEnv(io: Pick<Io, 'env'>, name: string): string | undefined {
  const value = io.env[name];
  return value === '' ? undefined : value;
}
