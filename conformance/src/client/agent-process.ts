import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';

const outputMaxLength = 2_000;
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) killGroup(child);
});

export interface AgentProcess {
  readonly ended: Promise<void>;
  hasEnded(): boolean;
  /** The last part of the program's output. */
  output(): string;
  /** Kills the program and all its child processes immediately, like a power failure. */
  kill(): Promise<void>;
}

/** Starts the program without a shell, with these environment variables and the path of a folder for its files. */
export function startAgentProcess(
  words: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): AgentProcess {
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    cwd: process.cwd(),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment, AGENT_PLATFORM_FOLDER: folder },
  });
  let said = '';
  const listen = (text: Buffer) => {
    said = `${said}${text.toString('utf8')}`.slice(-outputMaxLength);
  };
  child.stdout?.on('data', listen);
  child.stderr?.on('data', listen);
  let isOver = false;
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true;
      running.delete(child);
      resolve();
    };
    child.once('error', (error) => {
      said += error.message;
      end();
    });
    child.once('exit', end);
  });
  return {
    ended,
    hasEnded: () => isOver,
    output: () => said.trim(),
    kill: async () => {
      killGroup(child);
      await ended;
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
