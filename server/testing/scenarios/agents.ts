import type { RegisteredAgent, TestServer } from '../test-server.ts';

export function makeAgentRegistrar(ownServer: () => TestServer) {
  let made = 0;
  const newAgent = async (more: object = {}): Promise<RegisteredAgent> => {
    made += 1;
    return await ownServer().register(`agent_${made}`, more);
  };
  return {
    newAgent,
    agents: async (count: number, more: object = {}): Promise<readonly RegisteredAgent[]> =>
      await Promise.all(Array.from({ length: count }, () => newAgent(more))),
    two: async (more: object = {}): Promise<readonly [RegisteredAgent, RegisteredAgent]> =>
      await Promise.all([newAgent(more), newAgent(more)]),
  };
}
