import { judgeServer, runOptions, withoutPace } from '@agent-platform/conformance';
import type { Fault, FrameLink, PassingReply, PassingRequest } from '../passing.ts';
import { startProxy, toWs } from '../proxy.ts';
import type { ReferenceServer } from '../reference-server.ts';

/** What passed between a run and a server that is right, and the step in which it did. */
export type Passed =
  | { readonly step: string; readonly request: PassingRequest; readonly reply?: PassingReply }
  | PassedFrame;

interface PassedFrame {
  readonly step: string;
  readonly frame: string;
  readonly isAck: boolean;
  readonly authorization: string;
  /** The number of the connection. */
  readonly connection: number;
}

/** Records a whole run. */
export async function recordRun(server: ReferenceServer): Promise<readonly Passed[]> {
  const passed: Passed[] = [];
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
  const hooks = { ...server.means.hooks, suspend: server.suspendCommand };
  const options = runOptions(proxy.url, { hooks, wsUrl: toWs(proxy.url), eventSeconds: 3, limits: withoutPace });
  const watch = {
    say: () => undefined,
    wait: () => undefined,
    step: (_at: number, _of: number, id: string) => (step = id),
  };
  await judgeServer(options, watch).finally(() => proxy.close());
  return passed;
}

/** The steps of a recorded run in which a fault changes something, and how often. */
export function stepsChangedBy(makeFault: () => Fault, passed: readonly Passed[]): ReadonlyMap<string, number> {
  const fault = makeFault();
  const links = new Map<number, RecordedLink>();
  const steps = new Map<string, number>();
  let sent = 0;
  const note = () => {
    sent += 1;
  };
  for (const one of passed) {
    const before = sent;
    const isChanged = 'request' in one ? changesExchange(fault, one) : changesFrame(fault, one, links, note);
    if (isChanged || sent > before) steps.set(one.step, (steps.get(one.step) ?? 0) + 1);
  }
  return steps;
}

function changesExchange(
  { onRequest, onReply, also }: Fault,
  { request, reply }: Extract<Passed, { request: unknown }>,
) {
  // What the server would have answered to another request is not recorded; whatever follows from it is seen on a server.
  if (reply === undefined) return isOther(request, onRequest?.(request));
  return isOther(reply, onReply?.(reply, request)) || also?.(reply, request) !== undefined;
}

function isOther(one: object, other: object = one): boolean {
  return other !== one && JSON.stringify(other) !== JSON.stringify(one);
}

/** A connection of a recorded run. */
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
