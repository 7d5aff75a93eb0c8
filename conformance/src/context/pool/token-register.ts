import { parseBearerToken } from '../http/http-client.ts';
import type { PoolAgent } from './pool.ts';

export type TokenRegister = ReturnType<typeof openTokenRegister>;

/** The name of the shell variable for a token that belongs to no agent. */
export const wrongTokenVariable = 'WRONG_TOKEN';

export function openTokenRegister() {
  const agents = new Map<string, PoolAgent>();
  const variables = new Map<string, string>();
  return {
    /** The agents by token; an agent with a rotated token appears under both tokens. */
    agents: agents as ReadonlyMap<string, PoolAgent>,
    add: (agent: PoolAgent): void => {
      agents.set(agent.token, agent);
      variables.set(agent.token, tokenVariableOf(agent));
    },
    /** The id of the agent with this token; `anonymous` for every unknown token. */
    agentIdOf: (token: string | undefined): string => agents.get(token ?? '')?.id ?? 'anonymous',
    /** The name of the shell variable for an Authorization header; undefined without a header. */
    variableOf: (authorization: string | undefined): string | undefined => {
      if (authorization === undefined) return undefined;
      return variables.get(parseBearerToken(authorization) ?? '') ?? wrongTokenVariable;
    },
  };
}

export function tokenVariableOf(agent: Pick<PoolAgent, 'handle'>): string {
  return `TOKEN_${shellNameOf(agent)}`;
}

/** The first 10 characters of the handle, as part of shell variable names: enough to find the agent in the pool. */
export function shellNameOf({ handle }: Pick<PoolAgent, 'handle'>): string {
  return handle.slice(0, 10).toUpperCase().replaceAll(/\W/g, '_');
}
