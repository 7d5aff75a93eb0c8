import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { execPath } from 'node:process';
import { killProcessGroup } from './processes.ts';

const program = createRequire(import.meta.url).resolve('@agent-platform/server/inspector-launcher');

const closeWithinMs = 1_000;

/** A shell script to start, with its arguments and its complete environment. */
export interface ProgramLaunch {
  readonly script: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As in `setPriority`: the higher the number, the lower the priority. */
  readonly priority: number;
}

export type LauncherRequest =
  | ({ readonly kind: 'launch'; readonly id: number } & ProgramLaunch)
  | { readonly kind: 'end'; readonly id: number };

/** A message from the launcher to the server: first a program's input, output and error output, then its state. */
export type LauncherMessage =
  | { readonly kind: 'stream'; readonly id: number }
  | { readonly kind: 'launched'; readonly id: number; readonly pid: number }
  | { readonly kind: 'ended'; readonly id: number; readonly how: string };

export interface ProgramEnd {
  /** The exit code or signal. */
  readonly how: string;
  /** Whether the launcher died, which ended the program. */
  readonly isLost: boolean;
}

/** A running program in its own process group. */
export interface LaunchedProgram {
  readonly pid: number;
  readonly input: Socket;
  readonly output: Socket;
  readonly errorOutput: Socket;
  /** Resolves once the program and its children have ended. */
  readonly ended: Promise<ProgramEnd>;
  /** Kills the program and its children; idempotent. */
  end(): void;
}

interface Running {
  readonly streams: Socket[];
  pid: number | undefined;
  readonly launched: PromiseWithResolvers<LaunchedProgram>;
  readonly ended: PromiseWithResolvers<ProgramEnd>;
}

/**
 * Starts programs from a small separate process. Each start copies the page tables of the parent process. That blocks a
 * server of 200 MB for 17 ms, but the launcher only for 4 ms. The server gets the streams of each program, so its data
 * does not pass through the launcher.
 *
 * The launcher starts with the first program. It ends when the server ends, and ends all its programs.
 */
export class Launcher {
  readonly #running = new Map<number, Running>();
  #child: ChildProcess | undefined;
  #lastId = 0;
  #isClosed = false;

  async launch(launch: ProgramLaunch): Promise<LaunchedProgram> {
    if (this.#isClosed) throw new Error('The inspector launcher is closed.');
    this.#lastId += 1;
    const id = this.#lastId;
    const [launched, ended] = [Promise.withResolvers<LaunchedProgram>(), Promise.withResolvers<ProgramEnd>()];
    this.#running.set(id, { streams: [], pid: undefined, launched, ended });
    this.#send({ kind: 'launch', id, ...launch });
    return await launched.promise;
  }

  /** Ends the launcher and all remaining programs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    child.ref();
    child.stdin?.end();
    // A process that is stopped (SIGSTOP) does not notice the end of its input.
    const forcing = setTimeout(() => child.kill('SIGKILL'), closeWithinMs);
    await exited;
    clearTimeout(forcing);
  }

  #send(request: LauncherRequest): void {
    this.#child ??= this.#start();
    // While programs run, this process must stay alive to receive their messages.
    this.#child.ref();
    this.#child.channel?.ref();
    // A launcher that has just ended accepts no request; `#start` handles its end.
    this.#child.send(request, () => undefined);
  }

  #start(): ChildProcess {
    const child = fork(program, {
      execPath,
      execArgv: ['--max-old-space-size=64'],
      env: {},
      cwd: '/',
      // The input carries no data; its end shows the launcher that this process has ended.
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (news: LauncherMessage, stream) => this.#receive(news, stream as Socket | undefined));
    const lose = (how: string) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      for (const [id, { pid }] of this.#running) {
        if (pid !== undefined) killProcessGroup(pid);
        this.#forget(id, { how, isLost: true });
      }
    };
    child.once('exit', (code, signal) => lose(`The inspector launcher ended with ${signal ?? code}.`));
    child.once('error', ({ message }) => lose(message));
    return child;
  }

  #receive(news: LauncherMessage, stream: Socket | undefined): void {
    const running = this.#running.get(news.id);
    // Stream errors are ignored, because a separate message reports the end of a program.
    stream?.on('error', () => undefined);
    if (running === undefined) stream?.destroy();
    else if (news.kind === 'ended') this.#forget(news.id, { how: news.how, isLost: false });
    else if (news.kind === 'launched') this.#begin(news.id, news.pid, running);
    else if (stream !== undefined) running.streams.push(stream);
  }

  #begin(id: number, pid: number, running: Running): void {
    running.pid = pid;
    const [input, output, errorOutput] = running.streams;
    // The program ended before its streams were passed on; the next message reports its end.
    if (input === undefined || output === undefined || errorOutput === undefined) return;
    const end = () => {
      if (this.#running.has(id)) this.#send({ kind: 'end', id });
    };
    running.launched.resolve({ pid, input, output, errorOutput, ended: running.ended.promise, end });
    // The launched script waits for this line.
    input.write('\n');
  }

  #forget(id: number, ending: ProgramEnd): void {
    const running = this.#running.get(id);
    this.#running.delete(id);
    if (this.#running.size === 0) {
      this.#child?.unref();
      this.#child?.channel?.unref();
    }
    running?.ended.resolve(ending);
    running?.launched.reject(new Error(ending.how));
  }
}
