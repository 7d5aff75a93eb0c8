import type { RegisteredAgent, TestServer } from './test-server.ts';

/** Registers agents of a test under handles of their own. */
export function newAgents(ownServer: () => TestServer) {
  let made = 0;
  const agents = async (count: number, more: object = {}): Promise<readonly RegisteredAgent[]> => {
    made += count;
    const handles = Array.from({ length: count }, (_, index) => `agent_${made - index}`);
    return await Promise.all(handles.map((handle) => ownServer().register(handle, more)));
  };
  const two = async (more: object = {}): Promise<readonly [RegisteredAgent, RegisteredAgent]> => {
    const [one, other] = await agents(2, more);
    if (one === undefined || other === undefined) throw new Error('Two agents were to be registered.');
    return [one, other];
  };
  return { agents, two };
}
