import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { ServedPlatform } from '@agent-platform/sdk/testing';
import { type AgentProcess, startAgentProcess } from './agent-process.ts';
import { type Peer, registerPeer } from './peer.ts';
import type { TracedRequest } from './trace.ts';
import { type ClientCheck, StepNotReached } from './verdicts.ts';
import { WatchedPlatform } from './watched-platform.ts';

/** The task of the program in a scenario: members for programs, and `words` for language models. */
export type ScenarioTask =
  | { readonly do: 'register'; readonly words: string }
  | { readonly do: 'publish'; readonly words: string; readonly text: string }
  | { readonly do: 'rotate'; readonly words: string }
  | { readonly do: 'quote'; readonly words: string; readonly amount_minor: number }
  | { readonly do: 'serve'; readonly words: string; readonly reply: string; readonly result_text: string };

export interface Scenario {
  readonly name: string;
  play(stage: ScenarioRun): Promise<readonly ClientCheck[]>;
}

const pollMs = 20;

export class ScenarioRun {
  readonly platform: WatchedPlatform;
  readonly peer: Peer;
  readonly seconds: number;
  readonly #served: ServedPlatform;
  readonly #words: readonly string[];
  readonly #folder = mkdtempSync(join(tmpdir(), 'agent-platform-client-'));
  readonly #handle = `graded_${randomUUID().slice(0, 8)}`;
  #process: AgentProcess | undefined;

  private constructor(
    [platform, peer, served]: readonly [WatchedPlatform, Peer, ServedPlatform],
    words: readonly string[],
    seconds: number,
  ) {
    this.platform = platform;
    this.peer = peer;
    this.seconds = seconds;
    this.#served = served;
    this.#words = words;
  }

  static async open(words: readonly string[], seconds: number): Promise<ScenarioRun> {
    const platform = new WatchedPlatform();
    const peer = await registerPeer(platform.fake);
    return new ScenarioRun([platform, peer, await platform.serve()], words, seconds);
  }

  /** A restart uses the same folder and handle. */
  start(task: ScenarioTask): void {
    this.#process = startAgentProcess(this.#words, this.#folder, {
      AGENT_PLATFORM_BASE_URL: this.#served.url,
      AGENT_PLATFORM_WS_URL: this.#served.url.replace('http', 'ws'),
      AGENT_PLATFORM_INVITATION: 'for-the-graded-agent',
      AGENT_PLATFORM_HANDLE: this.#handle,
      AGENT_TASK: JSON.stringify(task),
    });
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
  }

  async until(holds: () => boolean, seconds = this.seconds): Promise<boolean> {
    const endMs = Date.now() + seconds * 1_000;
    while (!holds()) {
      if (Date.now() > endMs || this.#process?.hasEnded() === true) return holds();
      await wait(pollMs);
    }
    return true;
  }

  async finish(): Promise<void> {
    await this.until(() => false);
  }

  /** Empty until the agent is registered. */
  agentId(): string {
    const [made] = this.requests('POST', /^\/api\/v1\/bots\/register$/).filter(({ status }) => status === 201);
    return made === undefined ? '' : JSON.parse(made.answer).bot.id;
  }

  requests(method: string, path: RegExp): TracedRequest[] {
    return this.platform.trace.requests.filter((request) => request.method === method && path.test(request.path));
  }

  /** Returns the first matching request; throws `StepNotReached` if the program sent none. */
  reached(method: string, path: RegExp, what: string): TracedRequest {
    const [first] = this.requests(method, path);
    if (first !== undefined) return first;
    const said = this.#process?.output() ?? '';
    throw new StepNotReached(`the program ${what} within ${this.seconds} s${said === '' ? '' : `; it says: ${said}`}`);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.#served.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
