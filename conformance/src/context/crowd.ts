import { type Agent, type ApiClient, openClient } from './agent.ts';
import { expect, Violation } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import { registerPath } from './paths.ts';
import { makeKeyPair } from './pool/key-pair.ts';
import { type RegistrarParts, sendRegistration } from './pool/registrar.ts';
import { registrationCases } from './pool/registration-bodies.ts';

/** Opens the crowd of a run, agents that no other run uses, for what takes many of them; it is empty until a check needs it. */
export function openCrowd(parts: RegistrarParts) {
  const members: Agent[] = [];
  return {
    /** Whether an agent belongs to it. */
    has: (id: string): boolean => members.some((member) => member.id === id),
    /** So many agents, of which further ones are registered where there are fewer. */
    gather: async (count: number): Promise<readonly Agent[]> => {
      while (members.length < count) members.push(await registerMember(parts));
      return members.slice(0, count);
    },
    /** Registers an agent with a handle, or attempts it where another registration has the handle. */
    attempt: async (handle: string): Promise<Exchange> => {
      takeAttempt(parts);
      return (await sendRegistration(parts, 'taken', handle)).exchange;
    },
    /** Attempts to register a handle that is taken, which makes no agent. */
    attemptTaken: async (takenHandle: string): Promise<Exchange> => {
      takeAttempt(parts);
      const invitation = await parts.hooks.invitation();
      const json = registrationCases.taken({
        random: parts.randomOf('taken'),
        ...{ keys: makeKeyPair(parts.world), takenHandle, invitation },
      });
      return await parts.send({ method: 'POST', path: registerPath, json });
    },
  };
}

function takeAttempt({ budget, pool }: RegistrarParts): void {
  budget.takeFurtherRegistration();
  pool.noteAttempt();
}

async function registerMember(parts: RegistrarParts): Promise<Agent> {
  parts.budget.takeFurtherRegistration();
  const { exchange, agent } = await sendRegistration(parts, 'member');
  expect.works(exchange, 201);
  if (agent === undefined)
    throw new Violation('the answer has no agent with a token', exchange, { requirement: 'AP-REG-002' });
  const client: ApiClient = openClient(parts.send, agent.token);
  return { ...agent, ...client };
}
