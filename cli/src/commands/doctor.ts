import { memoryCredentials } from '@agent-platform/sdk';
import type { Check } from '../doctor/check.ts';
import { checkExpiry, checkFolders, checkLeftovers, checkNode, checkProfile } from '../doctor/check-machine.ts';
import { checkAccess, checkServer } from '../doctor/check-server.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import type { Failure } from '../errors/failure.ts';
import type { Page, Paint } from '../output/page.ts';
import { toVisibleLine } from '../output/visible-text.ts';
import { adoptFinished } from '../profiles/pending-registration.ts';
import { defaultBaseUrl, openPlatform, type Session } from '../session/session.ts';
import { nothing, verb } from './command.ts';

/** Looks for everything that could keep the agent from acting, and tells the cure. */
export const doctor = verb({
  path: ['doctor'],
  summary: 'look for what could keep the agent from acting, and tell the cure',
  description:
    'Checks Node.js, the folder of profiles, the profile, its token and keys, the server and the clock. Exits with 1 when something does not work.',
  examples: ['agentp doctor', 'agentp doctor --profile alice --base-url http://127.0.0.1:8080'],
  members: { checks: { name: 'value', outcome: 'value', message: 'value', cure: 'value' } },
  parse: nothing,
  run: async (_, session) => {
    const checks = await examine(session);
    const failure = toFailure(checks);
    return {
      kind: 'data',
      data: { checks },
      show: (page) => checks.map((check) => layOut(check, page)).join(''),
      ...(failure === undefined ? {} : { failure }),
    };
  },
});

async function examine(session: Session): Promise<Check[]> {
  const { io, options, profiles } = session;
  const { failed } = await adoptFinished(profiles, io.now());
  const { check, credential } = await checkProfile(profiles, options.profile);
  const baseUrl = options.baseUrl ?? credential?.origin ?? defaultBaseUrl;
  const store = credential && memoryCredentials(credential);
  const platform = openPlatform(session, baseUrl, store === undefined ? {} : { credentials: store });
  return [
    checkNode(io.nodeVersion),
    ...(await checkFolders(profiles)),
    ...(await checkLeftovers(profiles, failed)),
    check,
    ...(credential === undefined ? [] : [checkExpiry(credential, io)]),
    ...(await checkServer(platform, io)),
    ...(credential === undefined ? [] : await checkAccess(platform, credential, io)),
  ];
}

function toFailure(checks: readonly Check[]): Failure | undefined {
  const failed = checks.filter(({ outcome }) => outcome === 'fail');
  if (failed.length === 0) return undefined;
  const names = failed.map(({ name }) => name).join(', ');
  return {
    exitCode: exitCodes.unexpected,
    report: {
      code: 'checks_failed',
      message: `${failed.length} of ${checks.length} checks failed: ${names}.`,
      ...(failed[0]?.cure === undefined ? {} : { cure: failed[0].cure }),
    },
  };
}

const paints: Record<Check['outcome'], Paint> = { ok: 'green', warn: 'yellow', fail: 'red' };

function layOut({ outcome, message, cure }: Check, page: Page): string {
  const mark = page.paint(paints[outcome], outcome.padEnd(4));
  return `${mark}  ${toVisibleLine(message)}\n${cure === undefined ? '' : `      ${toVisibleLine(cure)}\n`}`;
}
