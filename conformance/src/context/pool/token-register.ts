import type { PoolAgent } from './pool.ts';

/** Knows whose token is whose. */
export interface TokenRegister {
  add(agent: PoolAgent): void;
  /** The id of the agent; all tokens of nobody are taken for one. */
  agentIdOf(token: string | undefined): string;
  /** What a shell variable with that token would be called; undefined where no token was sent. */
  variableOf(authorization: string | undefined): string | undefined;
}

/** Opens an empty register of tokens. */
export function openTokenRegister(): TokenRegister {
  const tokens = new Map<string, string>();
  const variables = new Map<string, string>();
  return {
    add: ({ id, handle, token }) => {
      tokens.set(token, id);
      // Short enough to read, long enough to find the agent in the pool.
      variables.set(token, `TOKEN_${handle.slice(0, 10).toUpperCase().replaceAll(/\W/g, '_')}`);
    },
    agentIdOf: (token) => tokens.get(token ?? '') ?? 'nobody',
    variableOf: (authorization) => {
      if (authorization === undefined) return undefined;
      const token = /^Bearer (.*)$/.exec(authorization)?.[1];
      return variables.get(token ?? '') ?? 'WRONG_TOKEN';
    },
  };
}
