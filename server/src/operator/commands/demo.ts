import { demoAgentsMax, readDemoAgents } from '../../demo/demo-content-queries.ts';
import { findDemoHandles } from '../../demo/existing-demo-queries.ts';
import { type SeedOutcome, seedAgent } from '../../demo/seed-commands.ts';
import type { AgentCommandDependencies, AgentOutcome } from '../../identity/named-agents-commands.ts';
import { reactivateAgents, suspendAgents } from '../../identity/suspension-commands.ts';
import { minute } from '../../platform/clock.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Store } from '../../store/store.ts';
import { type CommandDependencies, defineOperatorCommand, integerOption, makeArgumentsSchema } from '../command.ts';
import { OperatorFailure } from '../failure.ts';

/** The number of agents that are seeded concurrently, equal to the number of concurrent file checks. */
const atOnce = 2;

let isSeeding = false;

const seed = defineOperatorCommand({
  name: 'demo seed',
  summary: 'add demonstration agents with works of every kind; a repeat adds what is missing',
  arguments: makeArgumentsSchema({
    agents: integerOption(demoAgentsMax, `number of agents, 1 to ${demoAgentsMax}; default ${demoAgentsMax}`),
  }),
  answerWithinMs: 10 * minute,
  run: async (parts, { agents: count = demoAgentsMax }) => {
    const store = await parts.store.upToDate();
    if (isSeeding) throw new OperatorFailure('in_use', 'Another "demo seed" is running in this server. Wait for it.');
    isSeeding = true;
    try {
      const agents = await seedAll(parts, store, count);
      const sum = (part: 'works_added' | 'files_added') => agents.reduce((total, agent) => total + agent[part], 0);
      const agents_added = agents.filter(({ outcome }) => outcome === 'added').length;
      return { agents_added, works_added: sum('works_added'), files_added: sum('files_added'), agents };
    } finally {
      isSeeding = false;
    }
  },
  audit: ({ agents_added, works_added, files_added }) => ({ agents_added, works_added, files_added }),
  format: ({ agents_added, works_added, files_added, agents }) =>
    [
      agents_added + works_added + files_added === 0
        ? 'Nothing was added, because nothing was missing.'
        : `Added ${agents_added} demonstration agent(s), ${works_added} work(s) and ${files_added} file(s).`,
      ...handlesThat('taken', agents, 'belongs to an agent that is not a demonstration agent; it was not changed.'),
      ...handlesThat('erased', agents, 'is permanently erased.'),
      ...handlesThat('suspended', agents, 'is suspended and was not changed; "demo show" reactivates it.'),
      'They have no tokens, so no client can act as them. "demo hide" suspends them all.',
    ].join('\n'),
});

function handlesThat(wanted: SeedOutcome['outcome'], agents: readonly SeedOutcome[], is: string): readonly string[] {
  return agents.filter(({ outcome }) => outcome === wanted).map(({ handle }) => `${handle} ${is}`);
}

async function seedAll({ settings, clock, note, withFiles, record }: CommandDependencies, store: Store, count: number) {
  const cast = readDemoAgents().slice(0, count);
  const outcomes: SeedOutcome[] = [];
  const waiting = [...cast];
  return await withFiles(store, async (files) => {
    const parts = { files, agentTextBytes: settings.agentTextBytes, now: clock(), record };
    const seedNext = async () => {
      for (let demo = waiting.shift(); demo !== undefined; demo = waiting.shift()) {
        const done = await seedAgent(parts, demo).catch((error: unknown) => {
          // Also stops the concurrent work; the next run adds the remaining agents.
          waiting.length = 0;
          throw error instanceof Refusal ? stopped(demo.handle, error) : error;
        });
        outcomes.push(done);
        if (done.works_added + done.files_added > 0) note(`${outcomes.length} of ${cast.length}: ${done.handle}`);
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: atOnce }, seedNext));
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
    const at = ({ handle }: SeedOutcome) => cast.findIndex((demo) => demo.handle === handle);
    return outcomes.toSorted((one, other) => at(one) - at(other));
  });
}

function stopped(handle: string, { code, message }: Refusal): OperatorFailure {
  return new OperatorFailure(
    code,
    `${handle}: ${message} The agents added so far remain; run the command again to add the rest.`,
  );
}

const hide = defineOperatorCommand({
  name: 'demo hide',
  summary: 'suspend all demonstration agents: their profiles and works are no longer shown',
  run: async (parts) => ({ changed: await changeAll(parts, suspendAgents) }),
  audit: (result) => result,
  format: ({ changed }) => `${changed} demonstration agent(s) are now suspended.`,
});

const show = defineOperatorCommand({
  name: 'demo show',
  summary: 'reactivate all demonstration agents',
  run: async (parts) => ({ changed: await changeAll(parts, reactivateAgents) }),
  audit: (result) => result,
  format: ({ changed }) => `${changed} demonstration agent(s) are active again.`,
});

type Change = (parts: AgentCommandDependencies, names: readonly string[]) => Promise<readonly AgentOutcome[]>;

async function changeAll({ clock, record, store: stores }: CommandDependencies, change: Change): Promise<number> {
  const store = await stores.upToDate();
  const outcomes = await change({ store, clock, record }, await store.read(findDemoHandles));
  return outcomes.filter(({ outcome }) => outcome === 'changed').length;
}

export const demoCommands = [seed, hide, show];
