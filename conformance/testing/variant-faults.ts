import { type Mutant, mutant } from './faults.ts';
import type { Fault, PassingAnswer, PassingRequest } from './proxy.ts';

/** A server that is right and differs, and the look that sees it. */
export function variant(look: string, name: string, fault: () => Fault): Mutant {
  return mutant(name, [`choice.${look}`], fault);
}

/** Changes parts of the text of answers below a path. */
export function renamed(path: string, names: readonly (readonly [from: string, to: string])[]): Fault {
  return {
    onAnswer: (answer, request) =>
      request.path.startsWith(path)
        ? { ...answer, body: names.reduce((body, [from, to]) => body.replaceAll(from, to), answer.body) }
        : answer,
  };
}

/** Gives one answer in place of others, where they are meant. */
export function instead(
  isMeant: (answer: PassingAnswer, request: PassingRequest) => boolean,
  other: PassingAnswer,
): Fault {
  return { onAnswer: (answer, request) => (isMeant(answer, request) ? other : answer) };
}
