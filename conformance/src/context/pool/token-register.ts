import type { PoolAgent } from './pool.ts';

/** Knows whose token is whose. */
export type TokenRegister = ReturnType<typeof openTokenRegister>;

/** Opens an empty register of tokens. */
export function openTokenRegister() {
  const tokens = new Map<string, string>();
  const variables = new Map<string, string>();
  return {
    add: ({ id, handle, token }: PoolAgent): void => {
      tokens.set(token, id);
      // Short enough to read, long enough to find the agent in the pool.
      variables.set(token, `TOKEN_${handle.slice(0, 10).toUpperCase().replaceAll(/\W/g, '_')}`);
    },
    /** The id of the agent; all unknown tokens are taken for one. */
    agentIdOf: (token: string | undefined): string => tokens.get(token ?? '') ?? 'anonymous',
    /** What a shell variable with that token would be called; undefined where no token was sent. */
    variableOf: (authorization: string | undefined): string | undefined => {
      if (authorization === undefined) return undefined;
      const token = /^Bearer (.*)$/.exec(authorization)?.[1];
      return variables.get(token ?? '') ?? 'WRONG_TOKEN';
    },
  };
}
