import { type CommandGroup, defineCommand, parseFirstArgument, parseNoInput } from '@agent-platform/cli-core/command';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { UsageError } from '@agent-platform/cli-core/errors/failure';
import { askForConfirmation, canAskUser } from '@agent-platform/cli-core/output/confirm';
import { formatCard, formatTable, makeTextLayout, type TextLayout } from '@agent-platform/cli-core/output/layout';
import { formatTime, makeTimeColumn } from '@agent-platform/cli-core/output/values';
import { type CommandContext, chooseCredential } from '@agent-platform/cli-core/session/chosen-credential';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import type { StoredApproval, StoredApprovals } from '@agent-platform/sdk/approvals';
import { Argument } from 'commander';

const approvalData = schema.objectOf({
  id: schema.text,
  state: schema.enumOf('waiting', 'approved', 'refused', 'used'),
  agent: schema.objectOf({ id: schema.id, handle: schema.text }),
  tool: schema.text,
  arguments: { 'x-untrusted': true },
  facts: { 'x-untrusted': true },
  question: schema.untrustedText,
  created_at: schema.time,
  expires_at: schema.time,
});
const idArgument = () => new Argument('<id>', 'an id from agentp approvals list');
const exampleApproval = '3f9a12c0de';

/** These commands use only files on this machine. */
export const approvalsCommands: CommandGroup = {
  noun: 'approvals',
  summary: 'acts of tools: show, approve, refuse',
  commands: [
    defineCommand({
      path: ['approvals', 'list'],
      effect: 'read',
      repeat: 'safe',
      operations: [],
      summary: 'list the acts that wait for your approval',
      description:
        'Tools for language models (agentp mcp) store an act that needs your approval here if their client cannot ask you. Decided acts are listed until they are carried out.',
      examples: ['agentp approvals list'],
      out: schema.objectOf({ approvals: schema.listOf(approvalData) }),
      parse: parseNoInput,
      run: (_, session) =>
        withApprovals(session, (approvals, me) => {
          const found = approvals.list(me);
          return {
            data: { approvals: found },
            format: (page: TextLayout) => formatTable(page, found, columns, ifEmpty),
          };
        }),
    }),
    defineCommand({
      path: ['approvals', 'show'],
      effect: 'read',
      repeat: 'safe',
      operations: [],
      summary: 'show exactly what an act would do',
      examples: [`agentp approvals show ${exampleApproval}`],
      arguments: [idArgument()],
      exits: [exitCodes.notFound, exitCodes.conflict],
      out: approvalData,
      parse: parseFirstArgument,
      run: (id, session) => withApprovals(session, (approvals, me) => report(approvals.get(me, id))),
    }),
    defineCommand({
      path: ['approvals', 'approve'],
      effect: 'money',
      repeat: 'idempotent',
      operations: [],
      summary: 'approve an act, after you have read it on a terminal',
      description:
        'Shows the act and asks for confirmation, which no option can give. When the tool is called again with the same arguments before the approval expires, it carries the act out once.',
      examples: [`agentp approvals approve ${exampleApproval}`],
      arguments: [idArgument()],
      exits: [exitCodes.notFound, exitCodes.conflict],
      out: approvalData,
      parse: parseFirstArgument,
      run: (id, session) =>
        withApprovals(session, async (approvals, me) => {
          const { io } = session;
          const line = `agentp approvals approve ${id}`;
          if (!canAskUser(io))
            throw new UsageError(
              'An act is approved on a terminal, by a person who reads it.',
              `Run on a terminal: ${line}`,
            );
          const act = formatAct(makeTextLayout(io, 'stderr', { color: false }), approvals.getOpen(me, id));
          if (!(await askForConfirmation(io, act.trimEnd()))) {
            throw new UsageError('Not approved; the act still waits.', `To refuse it: agentp approvals refuse ${id}`);
          }
          approvals.decide(me, id, 'approved');
          return report(approvals.get(me, id));
        }),
    }),
    defineCommand({
      path: ['approvals', 'refuse'],
      effect: 'write',
      repeat: 'idempotent',
      operations: [],
      summary: 'refuse an act',
      examples: [`agentp approvals refuse ${exampleApproval}`],
      arguments: [idArgument()],
      exits: [exitCodes.notFound, exitCodes.conflict],
      out: approvalData,
      parse: parseFirstArgument,
      run: (id, session) =>
        withApprovals(session, (approvals, me) => {
          approvals.decide(me, id, 'refused');
          return report(approvals.get(me, id));
        }),
    }),
  ],
};

const ifEmpty = 'No act waits for your approval.';
const columns: Parameters<typeof formatTable<StoredApproval>>[2] = [
  ['ID', ({ id }) => id],
  ['STATE', ({ state }) => state],
  ['TOOL', ({ tool }) => tool],
  makeTimeColumn('EXPIRES', ({ expires_at }) => expires_at),
  ['ACT', ({ question }) => question, 'text'],
];

async function withApprovals<T>(
  session: CommandContext,
  work: (approvals: StoredApprovals, me: string) => T | Promise<T>,
): Promise<T> {
  const { credential } = await chooseCredential(session);
  const { openJournal } = await import('@agent-platform/sdk/approvals');
  const now = () => session.io.now().getTime();
  const journal = openJournal(session.profiles.stateFolderOf(credential.bot_id), now);
  try {
    return await work(journal.approvals, credential.bot_id);
  } finally {
    journal.close();
  }
}

function report(approval: StoredApproval) {
  return { data: { ...approval }, format: (page: TextLayout) => formatAct(page, approval) };
}

function formatAct(page: TextLayout, approval: StoredApproval): string {
  const { id, state, agent, tool, arguments: values, facts, question, expires_at } = approval;
  return formatCard(page, question, [
    ['approval', `${id}, ${state}`],
    ['agent', `${agent.handle} (${agent.id})`],
    ['tool', tool],
    ['arguments', JSON.stringify(values, undefined, 2)],
    ['bound to', JSON.stringify(facts, undefined, 2)],
    ['expires', formatTime(expires_at, page.now)],
  ]);
}
