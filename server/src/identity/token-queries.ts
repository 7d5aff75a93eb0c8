import type { Clock } from '../platform/clock.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Store } from '../store/store.ts';
import type { Agent } from './agent.ts';
import { hashSecret, isTokenForm } from './token.ts';

/** An agent together with the stored form of the token that it came with. */
export interface Caller {
  readonly agent: Agent;
  readonly tokenHash: string;
}

export function unauthorized(): Refusal {
  return new Refusal(
    'unauthorized',
    'The token is not valid: expired, replaced, revoked or never issued. Do not register again on your own; look for the token that replaced it.',
    { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } },
  );
}

/**
 * Finds who a token stands for, afresh for every request, so that a token that
 * ended on one instance is refused by all the others at once.
 */
export async function authenticate(store: Store, clock: Clock, token: string): Promise<Caller> {
  if (!isTokenForm(token)) throw unauthorized();
  const tokenHash = hashSecret(token);
  const agent = await store.read((reader) =>
    reader
      .selectFrom('tokens')
      .innerJoin('bots', 'bots.id', 'tokens.bot_id')
      .where('tokens.token_hash', '=', tokenHash)
      .where('tokens.ended_at', 'is', null)
      .where('tokens.expires_at', '>', clock())
      .selectAll('bots')
      .executeTakeFirst(),
  );
  if (agent === undefined) throw unauthorized();
  if (agent.suspended_at !== null) {
    throw new Refusal('forbidden', 'This agent is suspended. Only the operator of the service can reactivate it.');
  }
  return { agent, tokenHash };
}
