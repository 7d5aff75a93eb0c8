import type { Choice, Look } from '../context/check.ts';
import type { Cost } from '../context/cost.ts';
import { codeOf } from '../context/expectations.ts';
import type { Run } from '../context/run.ts';
import type { Question } from '../context/send.ts';

/** Binds a look to its requirement. */
export function look(
  id: string,
  requirement: string,
  question: string,
  see: (run: Run) => Promise<Choice>,
  cost: Partial<Cost> = {},
): Look {
  return { id: `choice.${id}`, covers: [requirement], question, cost, see };
}

/** Asks as the kept agent and compares status and code with what was decided. */
export async function answersWith(run: Run, question: Question, status: number, code: string): Promise<Choice> {
  const { token } = await run.kept();
  const answer = await run.ask({ ...question, token });
  const seen = `${answer.status} ${codeOf(answer) ?? 'without a code'}`;
  return { seen, asDecided: answer.status === status && codeOf(answer) === code };
}
