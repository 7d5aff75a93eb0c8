import type { RunOptions } from '../events/options.ts';
import * as kinds from '../events/options.ts';
import { hostProcess } from '../host.ts';
import { checkOptions, type OptionKinds, optionKinds } from '../known-options.ts';
import type { AcceptRule, AgentHandlers } from './agent-handlers.ts';

/** Options of `run`. */
export interface AgentRunOptions extends RunOptions {
  /** SIGINT or SIGTERM ends the run once running handlers finish; a second signal ends the process. Default false. */
  readonly handleSignals?: boolean | undefined;
  /** The agents whose contact requests are accepted if no `onContactRequest` handler matches. Default: none. */
  readonly accept?: AcceptRule | undefined;
}

const runOptionKinds: OptionKinds<AgentRunOptions> = {
  ...kinds.runOptionKinds,
  handleSignals: optionKinds.flag,
  accept: {
    form: '"all" or a function that takes the contact',
    accepts: (value) => value === 'all' || typeof value === 'function',
  },
};

export async function runAgent(
  handlers: AgentHandlers,
  options: AgentRunOptions,
  close: () => Promise<void>,
): Promise<void> {
  checkOptions('run()', options, runOptionKinds);
  const { handleSignals = false, accept, signal, ...leasing } = options;
  const ending = new AbortController();
  const release = handleSignals ? onEndingSignal(() => ending.abort()) : () => undefined;
  const signals = signal === undefined ? [ending.signal] : [signal, ending.signal];
  try {
    await handlers.run({ ...leasing, signal: AbortSignal.any(signals) }, accept);
  } finally {
    release();
    await close();
  }
}

/** Calls `end` on the first SIGINT or SIGTERM; returns a function that removes the listeners. */
function onEndingSignal(end: () => void): () => void {
  const release = () => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) hostProcess?.removeListener?.(name, ending);
  };
  // The listeners are removed first, so that a second signal ends the process as usual.
  const ending = () => {
    release();
    end();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) hostProcess?.on?.(name, ending);
  return release;
}
