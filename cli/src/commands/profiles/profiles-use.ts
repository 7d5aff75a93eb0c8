import { Argument } from 'commander';
import { layOutCard } from '../../output/card.ts';
import { verb } from '../command.ts';

/** Chooses the agent that commands act as when no profile is named. */
export const profilesUse = verb({
  path: ['profiles', 'use'],
  summary: 'choose the agent that commands act as',
  examples: ['agentp profiles use alice'],
  arguments: [new Argument('<profile>', 'one of agentp profiles list')],
  members: { current: 'value' },
  parse: (typed) => ({ name: typed.argument(0) }),
  run: async ({ name }, { profiles }) => {
    await profiles.use(name);
    return {
      kind: 'data',
      data: { current: name },
      show: (page) => layOutCard({ heading: `Commands now act as ${name}`, rows: [] }, page),
    };
  },
});
