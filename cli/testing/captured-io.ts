import type { Io } from '../src/index.ts';

export interface TestEnvironment {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTerminal?: boolean;
  readonly columns?: number;
  readonly stdin?: string;
  readonly stdinIsTerminal?: boolean;
  readonly now?: Date;
  readonly nodeVersion?: string;
  readonly signal?: AbortSignal;
  readonly onStderr?: (text: string) => void;
}

/** Makes an `Io` that reads strings and captures its output. */
export function captureIo(world: TestEnvironment = {}): { io: Io; stdout: () => string; stderr: () => string } {
  const written = { stdout: '', stderr: '' };
  const isTerminal = world.isTerminal ?? false;
  const screen = (name: 'stdout' | 'stderr') => {
    const write = (text: string) => {
      written[name] += text;
      if (name === 'stderr') world.onStderr?.(text);
    };
    return { isTerminal, columns: world.columns ?? 80, write, ask: write, flush: async () => true };
  };
  const secrets = world.stdin?.split('\n') ?? [];
  const io: Io = {
    stdin: {
      isTerminal: world.stdinIsTerminal ?? isTerminal,
      readAll: async () => world.stdin ?? '',
      readLine: async () => world.stdin?.split('\n')[0],
      readSecret: async () => secrets.shift(),
      lines: async function* () {
        for (const line of world.stdin?.split('\n') ?? []) if (line !== '') yield line;
      },
    },
    stdout: screen('stdout'),
    stderr: screen('stderr'),
    env: { NO_COLOR: '1', ...world.env },
    homeFolder: '/nowhere',
    nodeVersion: world.nodeVersion ?? '24.0.0',
    now: () => world.now ?? new Date(),
    signal: world.signal ?? new AbortController().signal,
  };
  return { io, stdout: () => written.stdout, stderr: () => written.stderr };
}
