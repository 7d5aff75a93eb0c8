import type { PoolAgent } from './pool.ts';

/** A map from tokens to agents. */
export type TokenRegister = ReturnType<typeof openTokenRegister>;

/** The name of the shell variable for a token that belongs to no agent. */
export const wrongTokenVariable = 'WRONG_TOKEN';

/** The token of an Authorization header with the scheme Bearer. */
export function parseBearerToken(authorization = ''): string | undefined {
  return /^Bearer (.*)$/.exec(authorization)?.[1];
}

export function openTokenRegister() {
  const agents = new Map<string, PoolAgent>();
  const variables = new Map<string, string>();
  return {
    /** The agents by token; an agent whose token was rotated is listed under both tokens. */
    agents: agents as ReadonlyMap<string, PoolAgent>,
    add: (agent: PoolAgent): void => {
      agents.set(agent.token, agent);
      variables.set(agent.token, tokenVariableOf(agent));
    },
    /** The id of the agent with this token; all unknown tokens count as one agent. */
    agentIdOf: (token: string | undefined): string => agents.get(token ?? '')?.id ?? 'anonymous',
    /** The name of the shell variable for a token; undefined if no token was sent. */
    variableOf: (authorization: string | undefined): string | undefined => {
      if (authorization === undefined) return undefined;
      return variables.get(parseBearerToken(authorization) ?? '') ?? wrongTokenVariable;
    },
  };
}

export function tokenVariableOf(agent: Pick<PoolAgent, 'handle'>): string {
  return `TOKEN_${shellNameOf(agent)}`;
}

/** The name of an agent in shell variables: short enough to read, and long enough to find the agent in the pool. */
export function shellNameOf({ handle }: Pick<PoolAgent, 'handle'>): string {
  return handle.slice(0, 10).toUpperCase().replaceAll(/\W/g, '_');
}
