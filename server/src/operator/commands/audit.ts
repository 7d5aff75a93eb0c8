import Type from 'typebox';
import { loadAgent } from '../../identity/agent-queries.ts';
import { listActs } from '../../identity/audit-queries.ts';
import { defineOperatorCommand, HandleOrId, makeArgumentsSchema, pageLimitOption, timeOption } from '../command.ts';
import { formatPage, formatTime, toVisible } from '../format.ts';
import { parseTime } from '../parse-time.ts';

const Word = (title: string, description: string) =>
  Type.Optional(Type.String({ title, minLength: 1, maxLength: 100, description }));

export const listAuditCommand = defineOperatorCommand({
  name: 'audit list',
  summary: 'list operator changes, newest first: time, system user, command and reason',
  arguments: makeArgumentsSchema({
    agent: Type.Optional({ ...HandleOrId, description: 'changes to an agent, by handle or id' }),
    command: Word('command', 'changes by a command or by all commands of a noun: "agents suspend", agents'),
    user: Word('name', 'changes by a system user, also through sudo'),
    since: timeOption('time', 'changes since a date or a time with a zone'),
    until: timeOption('time', 'changes before a date or a time with a zone'),
    limit: pageLimitOption,
    after: Type.Optional(
      Type.String({ title: 'id', format: 'uuid', description: 'id of the last change of the previous page' }),
    ),
  }),
  run: async (parts, { agent, command, user, since, until, limit = 100, after }) => {
    const between = { since: momentOf('--since', since), until: momentOf('--until', until) };
    const store = await parts.store.upToDate();
    const { acts, hasMore } = await store.read(async (reader) => {
      const agentId = agent === undefined ? undefined : (await loadAgent(reader, agent)).id;
      return await listActs(reader, { agentId, command, user, ...between, limit, after: after?.toLowerCase() });
    });
    return { acts, next_after: hasMore ? (acts.at(-1)?.id ?? null) : null };
  },
  format: ({ acts, next_after }) => {
    if (acts.length === 0) return 'No operator changes match.';
    const rows = acts.map(({ created_at, system_user, sudo_user, command, agent, subject, reason, details }) => [
      formatTime(created_at),
      toVisible(sudo_user === null ? system_user : `${sudo_user} as ${system_user}`),
      command,
      [agent?.handle ?? agent?.id ?? [], subject ?? []].flat().join(' '),
      describeDetails(details),
      toVisible(reason ?? ''),
    ]);
    return formatPage(['TIME', 'USER', 'COMMAND', 'SUBJECT', 'DETAILS', 'REASON'], rows, next_after);
  },
});

function momentOf(name: string, text: string | undefined): Date | undefined {
  return text === undefined ? undefined : parseTime(name, text);
}

function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return toVisible(
    Object.entries(details)
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  );
}
