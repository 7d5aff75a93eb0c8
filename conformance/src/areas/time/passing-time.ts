import type { Run } from '../../context/check.ts';
import { SkippedError, Violation } from '../../context/expectations.ts';
import { isObject } from '../../context/json.ts';
import { mePath, rotatePath } from '../../context/paths.ts';
import type { RunSession } from '../../context/run.ts';
import { findToken } from '../identity/tokens.ts';
import { orderParties } from '../orders/ordering.ts';

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** The interval of renewals; tokens with a shorter lifetime are renewed before its last tenth. */
const renewAfterMs = 27 * dayMs;
const lifeMinMs = 3 * dayMs;
const lifePart = 0.9;
/** The tolerated clock difference between the nodes of a server. */
const toleranceMs = 60_000;

/**
 * By how much the clock moved in a run, in total and since the last renewal of the tokens. The lifetime of a new token
 * is computed before the clock moves, because answers need not have a `Date`.
 */
const passedIn = new WeakMap<RunSession, { readonly lifeMs: number; totalMs: number; tokensMs: number }>();

/**
 * Moves the clock of the server to a time and renews the tokens of the pool, so that later runs can use them. Agents
 * that were fetched from the pool before have outdated tokens.
 */
export async function advanceClockUntil(run: Run, untilMs: number): Promise<void> {
  const passed = passedIn.get(run.session) ?? {
    lifeMs: await lifeOfTokens(run),
    totalMs: 0,
    tokensMs: Number.POSITIVE_INFINITY,
  };
  passedIn.set(run.session, passed);
  const stepMaxMs = Math.min(renewAfterMs, passed.lifeMs * lifePart);
  for (;;) {
    const leftMs = untilMs - run.time.now();
    if (leftMs <= 0) return;
    const stepMs = Math.ceil(Math.min(leftMs, stepMaxMs) / 1_000) * 1_000;
    if (passed.tokensMs + stepMs > stepMaxMs) {
      await renewTokens(run);
      passed.tokensMs = 0;
    }
    await moveClock(run, stepMs);
    passed.tokensMs += stepMs;
    passed.totalMs += stepMs;
    if (passed.totalMs >= hourMs) run.hourPassed();
  }
}

export async function advanceClock(run: Run, ms: number): Promise<void> {
  await advanceClockUntil(run, run.time.now() + ms);
}

export async function advanceClockByHour(run: Run): Promise<void> {
  if ((passedIn.get(run.session)?.totalMs ?? 0) < hourMs) await advanceClock(run, hourMs);
}

async function lifeOfTokens(run: Run): Promise<number> {
  const { exchange, recordedAt } = await run.registration('minimal');
  const expiresAt = isObject(exchange.json) ? Date.parse(String(exchange.json['token_expires_at'])) : Number.NaN;
  const startMs = Date.parse(recordedAt ?? exchange.headers['date'] ?? '');
  const lifeMs = expiresAt - (Number.isNaN(startMs) ? run.time.now() : startMs);
  if (lifeMs >= lifeMinMs) return lifeMs;
  throw new SkippedError(
    'the tokens of the server expire within three days: moving its clock would expire the tokens of the run',
  );
}

async function renewTokens(run: Run): Promise<void> {
  for (const [role, agent] of run.pooledAgents()) {
    const answer = await agent.post(rotatePath);
    run.redaction.hideTokensOf(answer);
    const token = answer.status === 200 ? await findToken(run, answer, agent.token) : undefined;
    // A failed rotation is not reported here, because another check judges rotations.
    if (token === undefined)
      throw new SkippedError('the tokens of the run could not be renewed, and would have expired');
    run.keepToken(token, role);
  }
}

/** Checks the move by a `Date` header or an offer's deadline, because an exit code of 0 proves nothing. */
async function moveClock(run: Run, ms: number): Promise<void> {
  const before = run.time.now();
  await run.hooks.moveClock(ms / 1_000);
  const answer = await (await run.primaryAgent()).get(mePath);
  if (answer.status === 401)
    throw new Violation('a token stopped working before it expired', answer, { requirement: 'AP-TOKEN-010' });
  if (run.time.now() >= before + ms - toleranceMs) return;
  const parties = await orderParties(run);
  const offer = await parties.postOffer('contractor', { deadline: new Date(before + ms / 2).toISOString() });
  if (offer.status === 201)
    throw new SkippedError('the program of --clock-command succeeded, but the clock has not moved');
  run.time.assume(ms);
}
