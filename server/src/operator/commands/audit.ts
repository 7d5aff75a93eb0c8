import Type from 'typebox';
import { loadAgent } from '../../identity/agent-queries.ts';
import { listActs } from '../../identity/audit-queries.ts';
import { AgentName, Arguments, Limit, MomentText, operatorCommand } from '../command.ts';
import { formatPage, formatTime, toVisible } from '../format.ts';
import { readMoment } from '../moment.ts';

const Word = (title: string, description: string) =>
  Type.Optional(Type.String({ title, minLength: 1, maxLength: 100, description }));

/** Lists what operators did. */
export const auditList = operatorCommand({
  name: 'audit list',
  summary: 'list what operators changed: when, which system user, what and why, newest first',
  arguments: Arguments({
    agent: Type.Optional({ ...AgentName, description: 'acts on an agent, by handle or id' }),
    command: Word('command', 'acts of a command or of all commands of a noun: "agents suspend", agents'),
    user: Word('name', 'acts of a system user, also through sudo'),
    since: MomentText('time', 'acts from a date or a time with a zone on'),
    until: MomentText('time', 'acts before a date or a time with a zone'),
    limit: Limit,
    after: Type.Optional(
      Type.String({ title: 'id', format: 'uuid', description: 'id of the last act of the previous page' }),
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
    if (acts.length === 0) return 'There are no such acts.';
    const rows = acts.map(({ created_at, system_user, sudo_user, command, agent, subject, reason, details }) => [
      ...[formatTime(created_at), toVisible(sudo_user === null ? system_user : `${sudo_user} as ${system_user}`)],
      ...[command, [agent?.handle ?? agent?.id ?? [], subject ?? []].flat().join(' ')],
      ...[describeDetails(details), toVisible(reason ?? '')],
    ]);
    return formatPage(['TIME', 'USER', 'COMMAND', 'SUBJECT', 'DETAILS', 'REASON'], rows, next_after);
  },
});

function momentOf(name: string, text: string | undefined): Date | undefined {
  return text === undefined ? undefined : readMoment(name, text);
}

function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return toVisible(
    Object.entries(details)
      .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(', '),
  );
}
