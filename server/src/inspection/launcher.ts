import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { execPath } from 'node:process';
import { endGroup } from './processes.ts';

const program = createRequire(import.meta.url).resolve('@agent-platform/server/inspector-launcher');

/** How long the launcher may take to exit. */
const closeWithinMs = 1_000;

/** A script of the shell to be started, with its words and its whole environment. */
export interface Launch {
  readonly script: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** As of `setPriority`: the higher the number, the more it yields to others. */
  readonly priority: number;
}

/** Requests of the server to the launcher. */
export type LauncherRequest =
  | ({ readonly kind: 'launch'; readonly id: number } & Launch)
  | { readonly kind: 'end'; readonly id: number };

/**
 * Messages of the launcher to the server: first the three streams of a program (input, output, error output), then its
 * state.
 */
export type LauncherMessage =
  | { readonly kind: 'stream'; readonly id: number }
  | { readonly kind: 'launched'; readonly id: number; readonly pid: number }
  | { readonly kind: 'ended'; readonly id: number; readonly how: string };

/** How a program has ended. */
export interface Ending {
  /** Its exit code or signal. */
  readonly how: string;
  /** The launcher has ended, and so did the program, whatever it was doing. */
  readonly isLost: boolean;
}

/** A running program, in its own process group. */
export interface Launched {
  readonly pid: number;
  readonly input: Socket;
  readonly output: Socket;
  readonly errorOutput: Socket;
  /** Resolves once it and its children have ended. */
  readonly ended: Promise<Ending>;
  /** Kills it and its children; idempotent. */
  end(): void;
}

/** A program that has not ended. */
interface Running {
  readonly streams: Socket[];
  pid: number | undefined;
  readonly launched: PromiseWithResolvers<Launched>;
  readonly ended: PromiseWithResolvers<Ending>;
}

/**
 * Starts programs from a small separate process. A start copies the page tables of the process that it is made from: that
 * takes 17 ms in a server of 200 MB, which answers no request in that time, and 4 ms in the launcher. The streams of a
 * program are handed over to the server, so its data does not pass through the launcher.
 *
 * The launcher starts with the first program. It ends with the server, and its programs end with it.
 */
export class Launcher {
  readonly #running = new Map<number, Running>();
  #child: ChildProcess | undefined;
  #lastId = 0;
  #isClosed = false;

  /** Starts a program; rejects where that is not possible. */
  async launch(launch: Launch): Promise<Launched> {
    if (this.#isClosed) throw new Error('The launcher of inspectors is closed.');
    this.#lastId += 1;
    const id = this.#lastId;
    const [launched, ended] = [Promise.withResolvers<Launched>(), Promise.withResolvers<Ending>()];
    this.#running.set(id, { streams: [], pid: undefined, launched, ended });
    this.#send({ kind: 'launch', id, ...launch });
    return await launched.promise;
  }

  /** Ends the launcher, and the programs that are left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const child = this.#child;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    child.ref();
    child.stdin?.end();
    // A stopped one does not see that.
    const forcing = setTimeout(() => child.kill('SIGKILL'), closeWithinMs);
    await exited;
    clearTimeout(forcing);
  }

  #send(request: LauncherRequest): void {
    this.#child ??= this.#start();
    // While programs run, this process stays alive for their messages.
    this.#child.ref();
    this.#child.channel?.ref();
    // A launcher that has just ended takes no request; its end is handled below.
    this.#child.send(request, () => undefined);
  }

  #start(): ChildProcess {
    const child = fork(program, {
      execPath,
      execArgv: ['--max-old-space-size=64'],
      env: {},
      cwd: '/',
      // The input brings nothing, and ends with this process.
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (news: LauncherMessage, stream) => this.#receive(news, stream as Socket | undefined));
    const lose = (how: string) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      for (const [id, { pid }] of this.#running) {
        if (pid !== undefined) endGroup(pid);
        this.#forget(id, { how, isLost: true });
      }
    };
    child.once('exit', (code, signal) => lose(`The launcher of inspectors ended with ${signal ?? code}.`));
    child.once('error', ({ message }) => lose(message));
    return child;
  }

  #receive(news: LauncherMessage, stream: Socket | undefined): void {
    const running = this.#running.get(news.id);
    // The end of a program is reported by another message.
    stream?.on('error', () => undefined);
    if (running === undefined) stream?.destroy();
    else if (news.kind === 'ended') this.#forget(news.id, { how: news.how, isLost: false });
    else if (news.kind === 'launched') this.#begin(news.id, news.pid, running);
    else if (stream !== undefined) running.streams.push(stream);
  }

  #begin(id: number, pid: number, running: Running): void {
    running.pid = pid;
    const [input, output, errorOutput] = running.streams;
    // It ended before its streams could be handed over, which the next message reports.
    if (input === undefined || output === undefined || errorOutput === undefined) return;
    const end = () => {
      if (this.#running.has(id)) this.#send({ kind: 'end', id });
    };
    running.launched.resolve({ pid, input, output, errorOutput, ended: running.ended.promise, end });
    // Until now it waits.
    input.write('\n');
  }

  #forget(id: number, ending: Ending): void {
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
