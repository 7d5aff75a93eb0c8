import { defineCommand, parseNoInput } from '@agent-platform/cli-core/command';
import { completeIssuedCredentials } from '@agent-platform/cli-core/credentials/credential-lifecycle';
import { exitCodes } from '@agent-platform/cli-core/errors/exit-codes';
import { type Failure, makeFailure } from '@agent-platform/cli-core/errors/failure';
import { fillHintCommands } from '@agent-platform/cli-core/errors/hint-commands';
import { completeHint } from '@agent-platform/cli-core/errors/hints';
import type { TextLayout, TextStyle } from '@agent-platform/cli-core/output/layout';
import { toVisibleLine } from '@agent-platform/cli-core/output/visible-text';
import type { CommandContext } from '@agent-platform/cli-core/session/chosen-credential';
import { defaultBaseUrl, openPlatform } from '@agent-platform/cli-core/session/session';
import * as schema from '@agent-platform/cli-core/surface/data-schema';
import { memoryCredentials } from '@agent-platform/sdk';
import * as checking from './doctor-checks.ts';

export const doctorCommand = defineCommand({
  path: ['doctor'],
  effect: 'read',
  repeat: 'safe',
  operations: ['readLiveness', 'readReadiness', 'readOwnBot'],
  exits: [],
  summary: 'check everything that the agent needs, with a hint for each problem',
  description:
    'Checks Node.js, the folder of profiles, the profile, its token, keys and state, the server and the clock. Exits with 1 when a check fails.',
  examples: ['agentp doctor', 'agentp doctor --profile alice --base-url http://127.0.0.1:8080'],
  out: schema.objectOf({
    checks: schema.listOf(
      schema.objectOf(
        { name: schema.text, outcome: schema.enumOf('ok', 'warn', 'fail'), message: schema.text },
        { hint: schema.text },
      ),
    ),
  }),
  parse: parseNoInput,
  run: async (_, session) => {
    const checks = await runChecks(session);
    return {
      data: { checks },
      format: (page) => `${checks.map((check) => formatCheck(page, check)).join('')}${formatSummary(checks)}\n`,
      failure: findFailure(checks),
    };
  },
});

async function runChecks(session: CommandContext): Promise<readonly checking.CheckResult[]> {
  const profile = await session.profiles.findOther(session.options.profile);
  const complete = (hint: string) => fillHintCommands(hint, { values: {}, profile });
  return (await findFaults(session)).map(({ hint, ...check }) =>
    hint === undefined ? check : { ...check, hint: complete(hint) },
  );
}

async function findFaults(session: CommandContext): Promise<readonly checking.CheckResult[]> {
  const { io, options, profiles } = session;
  const { failed } = await completeIssuedCredentials(profiles);
  const { check, credential } = await checking.checkSelectedProfile(profiles, options.profile);
  const baseUrl = options.baseUrl ?? credential?.origin ?? defaultBaseUrl;
  const platform = openPlatform(session, baseUrl, credential ? { credentials: memoryCredentials(credential) } : {});
  const server = await checking.checkServer(platform, io);
  const access = credential === undefined ? [] : await checking.checkAccess(platform, credential, io);
  const isAccepted = access.some(({ name, outcome }) => name === 'token' && outcome === 'ok');
  return [
    checking.checkNodeVersion(io.nodeVersion),
    ...(await checking.checkConfigFolders(profiles)),
    ...(await checking.checkLeftovers(profiles, failed)),
    check,
    ...(credential === undefined ? [] : await checking.checkState(profiles, credential)),
    ...(credential === undefined ? [] : [checking.checkTokenExpiry(credential, io, isAccepted)]),
    ...server,
    ...access,
  ];
}

function findFailure(checks: readonly checking.CheckResult[]): Failure | undefined {
  const failed = checks.filter(({ outcome }) => outcome === 'fail');
  if (failed.length === 0) return undefined;
  const names = failed.map(({ name }) => name).join(', ');
  const message = `${failed.length} of ${checks.length} checks failed: ${names}.`;
  return makeFailure(exitCodes.unexpected, 'checks_failed', message, completeHint(failed[0]?.hint, 'agentp doctor'));
}

const paints: Record<checking.CheckResult['outcome'], TextStyle> = { ok: 'green', warn: 'yellow', fail: 'red' };

function formatCheck(page: TextLayout, { outcome, message, hint }: checking.CheckResult): string {
  const mark = page.paint(paints[outcome], outcome.padEnd(4));
  return `${mark}  ${toVisibleLine(message)}\n${hint === undefined ? '' : `      ${toVisibleLine(hint)}\n`}`;
}

function formatSummary(checks: readonly checking.CheckResult[]): string {
  const countOf = (outcome: checking.CheckResult['outcome']) =>
    checks.filter((check) => check.outcome === outcome).length;
  return `${count(countOf('fail'), 'error')}, ${count(countOf('warn'), 'warning')}, ${countOf('ok')} passed.`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
