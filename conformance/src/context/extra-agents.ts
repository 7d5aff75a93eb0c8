import { type Agent, type ApiClient, openClient } from './agent.ts';
import { expect, Violation } from './expectations.ts';
import type { Exchange } from './http/http-client.ts';
import type { JsonObject } from './json.ts';
import { registerPath } from './paths.ts';
import { makeKeyPair } from './pool/key-pair.ts';
import { type RegistrarDependencies, sendRegistration } from './pool/registrar.ts';
import { registrationCases } from './pool/registration-bodies.ts';

/** Registers extra agents on demand, for checks that need many agents. Later runs do not use these agents. */
export function openExtraAgents(parts: RegistrarDependencies) {
  const members: Agent[] = [];
  return {
    has: (id: string): boolean => members.some((member) => member.id === id),
    register: async (count: number): Promise<readonly Agent[]> => {
      while (members.length < count) members.push(await registerMember(parts));
      return members.slice(0, count);
    },
    /** The handle may be taken. */
    attempt: async (handle: string): Promise<Exchange> => {
      takeAttempt(parts);
      return (await sendRegistration(parts, 'taken', handle)).exchange;
    },
    /** Attempts to register a taken handle; the server must refuse it. */
    attemptTaken: async (takenHandle: string): Promise<Exchange> =>
      await attemptWith(parts, await goodBody(parts, takenHandle)),
    /** Returns the body of a valid registration, for a check to change. */
    goodBody: (handle: string): Promise<JsonObject> => goodBody(parts, handle),
    attemptWith: (body: JsonObject | string | Uint8Array, type?: string): Promise<Exchange> =>
      attemptWith(parts, body, type),
  };
}

async function goodBody(parts: RegistrarDependencies, takenHandle: string): Promise<JsonObject> {
  const invitation = await parts.hooks.invitation();
  const keys = makeKeyPair(parts.world);
  return registrationCases.taken({ random: parts.randomOf('taken'), keys, takenHandle, invitation });
}

async function attemptWith(
  parts: RegistrarDependencies,
  body: JsonObject | string | Uint8Array,
  type = 'application/json',
) {
  takeAttempt(parts);
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const sent = isRaw ? { body, headers: { 'content-type': type } } : { json: body };
  return await parts.send({ method: 'POST', path: registerPath, ...sent });
}

function takeAttempt({ budget, pool }: RegistrarDependencies): void {
  budget.takeExtraRegistration();
  pool.noteAttempt();
}

async function registerMember(parts: RegistrarDependencies): Promise<Agent> {
  parts.budget.takeExtraRegistration();
  const { exchange, agent } = await sendRegistration(parts, 'member');
  expect.works(exchange, 201);
  if (agent === undefined)
    throw new Violation('the answer has no agent with a UUID and a token', exchange, { requirement: 'AP-REG-002' });
  const client: ApiClient = openClient(parts.send, agent.token);
  return { ...agent, ...client };
}
