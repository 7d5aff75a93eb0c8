import { judgeServer, runOptions, unpacedLimits } from '@agent-platform/conformance';
import type { Exchange } from '../../src/context/http/http-client.ts';
import { findFormatFaults } from '../../src/context/record-forms.ts';
import { parseJsonObject } from '../faults.ts';
import type { Fault, FrameLink, ProxiedReply, ProxiedRequest } from '../passing.ts';
import { startProxy, toStreamUrl } from '../proxy.ts';
import { allHooksOf, type ReferenceServer } from '../reference-server.ts';
import { isSuccessful } from './places.ts';

// The id of the requirement that no request causes a 500.
const requirementOfCrashes = 'AP-ERR-002';

/** An exchange or frame between a run and a correct server, with the id of the step that sent or received it. */
export type RecordedTraffic =
  | { readonly step: string; readonly request: ProxiedRequest; readonly reply?: ProxiedReply }
  | PassedFrame;

interface PassedFrame {
  readonly step: string;
  readonly frame: string;
  readonly isAck: boolean;
  readonly authorization: string;
  /** The sequence number of the connection. */
  readonly connection: number;
}

export async function recordRun(server: ReferenceServer): Promise<readonly RecordedTraffic[]> {
  const passed: RecordedTraffic[] = [];
  let step = '';
  const connections = new Map<FrameLink, number>();
  const noteFrame = (isAck: boolean) => (frame: string, link: FrameLink) => {
    const connection = connections.get(link) ?? connections.size;
    connections.set(link, connection);
    passed.push({ step, frame, isAck, authorization: link.authorization ?? '', connection });
    return [frame];
  };
  const proxy = await startProxy(server.url, {
    onRequest: (request) => {
      passed.push({ step, request });
      return request;
    },
    onReply: (reply, request) => {
      passed.push({ step, request, reply });
      return reply;
    },
    frames: { onEvent: noteFrame(false), onAck: noteFrame(true) },
  });
  const hooks = allHooksOf(server);
  const options = runOptions(proxy.url, {
    hooks,
    wsUrl: toStreamUrl(proxy.url),
    eventSeconds: 3,
    limits: unpacedLimits,
  });
  const watch = {
    log: () => undefined,
    wait: () => undefined,
    step: (_at: number, _of: number, id: string) => (step = id),
  };
  await judgeServer(options, watch).finally(() => proxy.close());
  return passed;
}

export interface FaultTrace {
  /** The ids of the steps in which the fault changes something, with the number of changes. */
  readonly steps: ReadonlyMap<string, number>;
  /** For each kind of changed request, the first step in which one succeeded: a fault may need an earlier success. */
  readonly before: ReadonlySet<string>;
  /** The requirements that a changed answer violates by itself, whatever the run uses it for. */
  readonly violated: ReadonlySet<string>;
}

/** Applies a fault to a recorded run, without a server. */
export function traceFault(makeFault: () => Fault, passed: readonly RecordedTraffic[]): FaultTrace {
  const fault = makeFault();
  const links = new Map<number, RecordedLink>();
  const steps = new Map<string, number>();
  const violated = new Set<string>();
  const [before, firstGood] = [new Set<string>(), new Map<string, string>()];
  let sent = 0;
  const note = () => {
    sent += 1;
  };
  for (const one of passed) {
    const sentBefore = sent;
    const isChanged = 'request' in one ? changesExchange(fault, one, violated) : changesFrame(fault, one, links, note);
    if (isChanged || sent > sentBefore) steps.set(one.step, (steps.get(one.step) ?? 0) + 1);
    if (!('request' in one)) continue;
    const kind = kindOf(one.request);
    if (one.reply !== undefined && isSuccessful(one.reply) && !firstGood.has(kind)) firstGood.set(kind, one.step);
    if (isChanged) before.add(firstGood.get(kind) ?? one.step);
  }
  return { steps, before, violated };
}

function changesExchange(
  { onRequest, onReply, also }: Fault,
  { request, reply }: Extract<RecordedTraffic, { request: unknown }>,
  violated: Set<string>,
): boolean {
  // The record has no answer to a changed request, so its consequences are unknown.
  if (reply === undefined) {
    const next = onRequest?.(request) ?? request;
    if ('status' in next && next.status === 500) violated.add(requirementOfCrashes);
    return isOther(request, next);
  }
  const got = onReply?.(reply, request) ?? reply;
  if (!isOther(reply, got)) return also?.(reply, request) !== undefined;
  if (got.status === 500) violated.add(requirementOfCrashes);
  for (const { requirement } of findFormatFaults(toExchange(request, got))) violated.add(requirement);
  return true;
}

function toExchange({ method, path, headers, body }: ProxiedRequest, reply: ProxiedReply): Exchange {
  const bytes = Buffer.alloc(0);
  const request = { method, path, headers, body };
  return {
    request,
    status: reply.status,
    headers: reply.headers,
    text: reply.body,
    bytes,
    json: parseJsonObject(reply.body),
  };
}

function kindOf({ method, path }: ProxiedRequest): string {
  return `${method} ${(path.split('?')[0] ?? '').replaceAll(/[0-9a-f-]{36}/g, '*')}`;
}

function isOther(one: object, other: object = one): boolean {
  return other !== one && JSON.stringify(other) !== JSON.stringify(one);
}

interface RecordedLink extends FrameLink {
  readonly step: string;
}

function changesFrame(
  { frames }: Fault,
  one: PassedFrame,
  links: Map<number, RecordedLink>,
  note: () => void,
): boolean {
  const { step, connection, authorization } = one;
  const link = links.get(connection) ?? {
    ...{ step, authorization, toClient: note, toServer: note },
    others: () => [...links.values()].filter((other) => other !== links.get(connection) && other.step === step),
  };
  links.set(connection, link);
  const got = (one.isAck ? frames?.onAck : frames?.onEvent)?.(one.frame, link) ?? [one.frame];
  return JSON.stringify(got) !== JSON.stringify([one.frame]);
}
