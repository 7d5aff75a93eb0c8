import type { Behaviour, Observation } from '../context/check.ts';
import type { Cost } from '../context/cost.ts';
import { codeOf } from '../context/expectations.ts';
import type { Run } from '../context/run.ts';
import type { ApiRequest } from '../context/send.ts';

/** Binds a look to its requirement. */
export function observation(
  id: string,
  requirement: string,
  question: string,
  see: (run: Run) => Promise<Behaviour>,
  cost: Partial<Cost> = {},
): Observation {
  return { id: `choice.${id}`, covers: [requirement], question, cost, observe: see };
}

/** Asks as the kept agent and compares status and code with what was decided. */
export async function answersWith(run: Run, question: ApiRequest, status: number, code: string): Promise<Behaviour> {
  const { token } = await run.primaryAgent();
  const answer = await run.send({ ...question, token });
  const seen = `${answer.status} ${codeOf(answer) ?? 'without a code'}`;
  return { observed: seen, matchesDecision: answer.status === status && codeOf(answer) === code };
}
