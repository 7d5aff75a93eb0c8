import { setTimeout as delay } from 'node:timers/promises';
import {
  type CommandGroup,
  defineAgentCommand,
  defineCommand,
  parseFirstArgument,
} from '@agent-platform/cli-core/command';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { makeFailure, UsageError } from '@agent-platform/cli-core/errors/failure';
import type { Io } from '@agent-platform/cli-core/io/io';
import { textFromFile } from '@agent-platform/cli-core/io/text-file';
import { defineListCommand } from '@agent-platform/cli-core/list-command';
import type { ParsedArguments } from '@agent-platform/cli-core/options/parsed-arguments';
import { parseDurationOption } from '@agent-platform/cli-core/options/times';
import { formatTable, type TextLayout } from '@agent-platform/cli-core/output/layout';
import type { StreamItem } from '@agent-platform/cli-core/output/report';
import { makeStreamChangeHooks } from '@agent-platform/cli-core/output/request-trace';
import { valueAtPath } from '@agent-platform/cli-core/output/select-fields';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import { type OpenedAgent, openAgent } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { collect } from '@agent-platform/cli-core/surface/input-schema';
import type { EventKind, EventLease, Hooks, InboxEvent } from '@agent-platform/sdk';
import { Argument, Option } from 'commander';
import { eventSchema } from '../output-records.ts';
import { attemptSchema, commandRunner, dispatch, type ExecutionOptions, type FailureListener } from './execute.ts';
import { makeForwardingRunner } from './forward.ts';
import { openEvent } from './open-event.ts';

const eventKinds = [
  'contact.requested',
  'contact.accepted',
  'contact.blocked',
  'message.created',
  'order.changed',
] as const satisfies readonly EventKind[];
const leaseMinMs = 1_000;
const leaseMaxMs = 86_400_000;
const pollEveryMs = 250;
const statuses = ['waiting', 'leased', 'failed', 'finished'] as const;
const exampleEventId = '01a1fe84-bb38-7733-9b89-212d42644965';
const streamExits = [exitCodes.notAuthorised, exitCodes.limit, exitCodes.unavailable];
const eventArgument = () => new Argument('<id>', 'the id of the event');

const notHeld = makeFailure(
  exitCodes.conflict,
  'event_not_held',
  'The event does not exist, is already finished, or its lease has ended.',
  'See the waiting events: agentp events list',
);
const notFound = makeFailure(
  exitCodes.notFound,
  'event_not_found',
  'No finished or failed event in the inbox has this id.',
  'See the finished events: agentp events list --status finished',
);

const noneCame = makeFailure(
  exitCodes.waitTimeout,
  'wait_timeout',
  'No event arrived within the time set with --wait.',
  'Events arrive only while a listener runs: agentp events listen',
);

export const eventsCommands: CommandGroup = {
  noun: 'events',
  summary: 'the event stream and its inbox on this machine',
  commands: [
    defineCommand({
      path: ['events', 'listen'],
      effect: 'write',
      repeat: 'idempotent',
      operations: [],
      summary: 'receive events, store them in the inbox and print each one, until interrupted',
      description:
        'Each event is written to disk before it is acknowledged, and stays in the inbox until agentp events done. Prints one line of JSON for each event that any process adds to the inbox. With --exec each event is leased to the command, which receives it as JSON on stdin; exit code 0 finishes the event. With --forward-to each event is sent to a server as a POST, with the headers AgentP-Event-Id, AgentP-Attempt, AgentP-Timestamp and AgentP-Signature; a 2xx within 30 seconds finishes it. Otherwise it is retried after a delay, up to 8 times, and then parked as failed. With --open a message that cannot be opened is parked when its first attempt fails. If agentp is killed, the event is available again after its lease. With --exec or --forward-to it prints one line of JSON for each attempt. Events of kinds other than those of --kind stay in the inbox, for other programs of this profile. The inbox holds 1,000 unfinished events of each kind. When it is full, it parks the newest event of the agent with the most waiting events of that kind. With more than 1,000 parked events, the oldest one of the agent with the most parked events is finished. With --kind and --exec or --forward-to, the oldest events of other kinds are finished when more than 500 of them wait, unless --keep-others is set.',
      examples: [
        'agentp events listen',
        'agentp events listen --open --fields opened.text',
        'agentp events listen --kind message.created --open --exec ./reply.sh',
        'agentp events listen --forward-to http://127.0.0.1:3000/hook --secret-file secret.txt',
      ],
      options: [
        new Option('--kind <kind>', 'only events of this kind; repeatable').choices(eventKinds).argParser(collect),
        new Option('--open', 'open messages and add their text'),
        new Option('--exec <command>', 'lease each event to this shell command, which receives it as JSON on stdin'),
        new Option('--forward-to <url>', 'lease each event to this server, which receives it as a POST').conflicts(
          'exec',
        ),
        new Option('--secret-file <file>', 'sign each POST of --forward-to with the secret in this file'),
        new Option('--keep-others', 'never finish events of kinds other than --kind, even when they fill the inbox'),
        new Option('--lease <duration>', 'time until an event is retried if agentp is killed, from 1s to 1h').default(
          '15s',
        ),
      ],
      prints: 'lines',
      out: { anyOf: [eventSchema, attemptSchema] },
      exits: streamExits,
      parse: parseListen,
      run: async (input, session) => {
        const failures: FailureListener = {
          onFailure: ({ kind, error }) => session.io.stderr.write(`${toVisibleLine(`agentp: ${kind}: ${error}`)}\n`),
        };
        const onHandlerFailure: Hooks['onHandlerFailure'] = (failure) => failures.onFailure(failure);
        const agent = await openAgent(session, { ...makeStreamChangeHooks(session.io), onHandlerFailure });
        const attempt = await chooseAttempt(input, session.io);
        return {
          items: attempt === undefined ? listen(agent, input) : dispatch(agent, { ...input, attempt }, failures),
        };
      },
    }),
    defineAgentCommand({
      path: ['events', 'next'],
      effect: 'write',
      repeat: 'never',
      operations: [],
      summary: 'lease an event of the inbox for a limited time',
      description:
        'No other process can lease the event until the lease ends; then it is available again, unless agentp events done has finished it. Events of different friends and orders are leased in turn; those of one friend or order stay in sequence. Needs no connection: agentp events listen fills the inbox. If no event is waiting, the data are null; with --wait the command waits, and exits with 13 if no event arrives.',
      examples: [
        'agentp events next --lease 60s',
        'agentp events next --lease 5m --wait 30s --open --fields event.event_id,event.opened.text',
      ],
      options: [
        new Option('--lease <duration>', 'the duration of the lease, from 1s to 24h').default('60s'),
        new Option('--wait <duration>', 'the time to wait for an event; default: none'),
        new Option('--open', 'open a message and add its text'),
      ],
      out: schema.objectOf({
        lease_id: schema.orNull(schema.text),
        attempt: schema.orNull(schema.integer),
        event: schema.orNull(eventSchema),
      }),
      exits: [exitCodes.notAuthorised, exitCodes.waitTimeout],
      parse: parseNext,
      request: leaseNext,
      format: (page, { event }) => (event === null ? 'No event is waiting.\n' : formatEvent(page, event)),
      failure: ({ event }, { waitMs }) => (event === null && waitMs > 0 ? noneCame : undefined),
      notes: ({ event }) => (event === null ? [] : [`After handling it: agentp events done ${event.event_id}`]),
    }),
    defineAgentCommand({
      path: ['events', 'done'],
      effect: 'write',
      repeat: 'idempotent',
      operations: [],
      summary: 'finish an event, so that it is not leased again',
      examples: [`agentp events done ${exampleEventId}`],
      arguments: [eventArgument()],
      options: [new Option('--lease-id <id>', 'only if this lease is still valid; default: any lease')],
      out: schema.objectOf({ event_id: schema.text, done: schema.flag }),
      exits: [exitCodes.notAuthorised, exitCodes.conflict],
      parse: (args) => ({ id: args.argument(0), leaseId: args.text('lease-id') }),
      request: async ({ platform }, { id, leaseId }) => ({
        event_id: id,
        done: await platform.events.done(id, leaseId),
      }),
      format: (_, { done }) => (done ? 'The event is finished.\n' : ''),
      failure: ({ done }) => (done ? undefined : notHeld),
    }),
    defineAgentCommand({
      path: ['events', 'replay'],
      effect: 'write',
      repeat: 'idempotent',
      operations: [],
      summary: 'put a finished or failed event back into the queue',
      description: 'The inbox keeps the latest 1,000 finished events.',
      examples: [`agentp events replay ${exampleEventId}`],
      arguments: [eventArgument()],
      out: schema.objectOf({ event_id: schema.text, waits: schema.flag }),
      exits: [exitCodes.notAuthorised, exitCodes.notFound],
      parse: parseFirstArgument,
      request: async ({ platform }, id) => ({ event_id: id, waits: await platform.events.replay(id) }),
      format: (_, { waits }) => (waits ? 'The event is waiting again.\n' : ''),
      failure: ({ waits }) => (waits ? undefined : notFound),
    }),
    defineListCommand({
      path: ['events', 'list'],
      operations: [],
      summary: 'list the events of the inbox, oldest first',
      examples: ['agentp events list', 'agentp events list --status failed'],
      options: [new Option('--status <status>', 'the status of the events').choices(statuses).default('waiting')],
      name: 'events',
      entry: schema.objectOf({
        event: eventSchema,
        status: schema.enumOf(...statuses),
        attempts: schema.integer,
        reason: schema.orNull(schema.text),
      }),
      exits: [exitCodes.notAuthorised],
      parse: (args) => args.choice('status', statuses) ?? 'waiting',
      read: async function* ({ platform }, status) {
        yield* await platform.events.list(status);
      },
      format: (page, events, _, status) =>
        formatTable(
          page,
          events,
          [
            ['EVENT', ({ event }) => event.event_id],
            ['KIND', ({ event }) => String(event.kind)],
            ['ATTEMPTS', ({ attempts }) => String(attempts)],
            ['REASON', ({ reason }) => reason ?? '', 'text'],
          ],
          `No event is ${status}.`,
        ),
    }),
  ],
};

function parseListen(args: ParsedArguments) {
  const chosen = args.list('kind');
  for (const kind of chosen) {
    if (eventKinds.some((known) => known === kind)) continue;
    throw new UsageError(`--kind "${kind}" is not an event kind.`, `Kinds: ${eventKinds.join(', ')}`);
  }
  const [url, secretFile] = [args.text('forward-to'), args.text('secret-file')];
  const address = url === undefined ? null : URL.parse(url);
  if (url !== undefined && !(address !== null && /^https?:$/.test(address.protocol) && address.username === '')) {
    throw new UsageError(`--forward-to "${url}" is not an address.`, 'For example: http://127.0.0.1:3000/hook');
  }
  if (url === undefined && secretFile !== undefined) throw new UsageError('--secret-file needs --forward-to.');
  const command = args.text('exec');
  if (command?.trim() === '')
    throw new UsageError('The command of --exec is empty.', 'For example: --exec ./handle.sh');
  return {
    kinds: chosen.length === 0 ? undefined : eventKinds.filter((kind) => chosen.includes(kind)),
    isOpening: args.flag('open'),
    command,
    url,
    secret: secretFile === undefined ? undefined : textFromFile(secretFile),
    isKeepingOthers: args.flag('keep-others'),
    leaseMs: parseDurationOption('lease', args.required('lease'), leaseMinMs, 3_600_000),
  };
}

async function chooseAttempt({ command, url, secret }: ReturnType<typeof parseListen>, io: Io) {
  if (command !== undefined) return commandRunner(command);
  if (url === undefined) return undefined;
  const key = await secret?.(io);
  if (key === '') throw new UsageError('The file of --secret-file is empty.');
  return makeForwardingRunner(url, key);
}

async function* listen(
  { platform, signal }: OpenedAgent,
  { kinds, isOpening }: Pick<ExecutionOptions, 'kinds' | 'isOpening'>,
): AsyncGenerator<StreamItem> {
  for await (const received of platform.events.follow({ signal })) {
    if (kinds?.some((kind) => kind === received.kind) === false) continue;
    const { given: event } = isOpening ? await openEvent(platform, received) : { given: received };
    yield { data: { ...event }, format: (page) => formatEvent(page, event) };
  }
}

function parseNext(args: ParsedArguments) {
  const wait = args.text('wait');
  return {
    leaseMs: parseDurationOption('lease', args.required('lease'), leaseMinMs, leaseMaxMs),
    waitMs: wait === undefined ? 0 : parseDurationOption('wait', wait, 0, leaseMaxMs),
    isOpening: args.flag('open'),
  };
}

async function leaseNext(agent: OpenedAgent, { leaseMs, waitMs, isOpening }: ReturnType<typeof parseNext>) {
  const lease = await pollLease(agent, leaseMs, waitMs);
  if (lease === undefined) return { lease_id: null, attempt: null, event: null };
  const { given: event } = isOpening ? await openEvent(agent.platform, lease.event) : { given: lease.event };
  return { lease_id: lease.lease_id, attempt: lease.attempt, event };
}

async function pollLease(
  { platform, signal }: OpenedAgent,
  leaseMs: number,
  waitMs: number,
): Promise<EventLease | undefined> {
  const endsAt = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    const lease = await platform.events.next({ leaseMs });
    if (lease !== undefined || performance.now() >= endsAt) return lease;
    await delay(pollEveryMs);
  }
}

function formatEvent(page: TextLayout, { event_id, kind: named, payload }: InboxEvent): string {
  const kind = String(named);
  const parts = [page.paint('dim', event_id), page.paint('bold', toVisibleLine(kind)), summarize(kind, payload)];
  return `${parts.join('  ')}\n`;
}

function summarize(kind: string, payload: unknown): string {
  const read = (...path: readonly string[]): string => {
    const value = valueAtPath(payload, path);
    return typeof value === 'string' || typeof value === 'number' ? toVisibleLine(String(value)) : '?';
  };
  if (kind.startsWith('contact.')) return `${read('peer', 'handle')} is ${read('status')}`;
  if (kind === 'message.created') return `message ${read('id')} from ${read('sender_id')}`;
  if (kind === 'order.changed') return `order ${read('order_id')} is ${read('status')}, version ${read('version')}`;
  return toVisibleLine(JSON.stringify(payload) ?? '');
}
