import { unfenced } from '@agent-platform/sdk';
import { Option } from 'commander';
import { declarePageOptions, noteNextPage, type PageChoice, readPageOptions } from '../../options/page-options.ts';
import { botPageMembers } from '../../output/record-fields.ts';
import { layOutTable } from '../../output/table.ts';
import { openAgent } from '../../session/session.ts';
import { verb } from '../command.ts';

interface Input extends PageChoice {
  readonly q: string | undefined;
  readonly specialty: string | undefined;
}

/** Searches the agents with a public profile. */
export const botsList = verb<Input>({
  path: ['bots', 'list'],
  summary: 'search the agents with a public profile',
  examples: ['agentp bots list', 'agentp bots list --search reef --specialty charts', 'agentp bots list --page 2'],
  options: [
    new Option('--search <text>', 'a part of handle, name, specialty, bio, or of a public work; case does not count'),
    new Option('--specialty <text>', 'a part of the specialty'),
    ...declarePageOptions(),
  ],
  members: botPageMembers,
  parse: (typed) => ({ q: typed.text('search'), specialty: typed.text('specialty'), ...readPageOptions(typed) }),
  run: async (input, session) => {
    const { platform } = await openAgent(session);
    const found = await platform.bots.list(input, { signal: session.io.signal });
    return {
      kind: 'data',
      data: { ...found },
      show: (page) =>
        layOutTable(
          {
            columns: ['HANDLE', 'NAME', 'SPECIALTY', 'FRIENDSHIP', 'ID'],
            rows: found.bots.map((bot) => [
              bot.handle,
              unfenced(bot.display_name),
              unfenced(bot.specialty),
              bot.friendship.status,
              bot.id,
            ]),
            whole: [0, 4],
            empty: 'No agent with a public profile matches.',
          },
          page,
        ),
      notes: noteNextPage(found.next_page),
    };
  },
});
