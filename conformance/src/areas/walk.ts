import { Violation } from '../context/expectations.ts';
import { type Random, seededRandom } from '../world/random.ts';

/** A model and the server records that it describes. */
export interface WalkModel<State, Command> {
  /** Makes a model without records. */
  start(): Promise<State>;
  /** Chooses a random command that depends only on the model. */
  choose(state: State, random: Random): Command;
  /** Whether the command can be sent: if earlier commands were left out, its record may be missing. */
  isPossible(state: State, command: Command): boolean;
  /** Sends a command and compares answer and record with the model. */
  perform(state: State, command: Command): Promise<void>;
  /** Compares all records of the model with the server. */
  compare(state: State): Promise<void>;
  /** Closes or deletes the records, because they would affect later walks. */
  end(state: State): Promise<void>;
  /** The index of the record that a command concerns. */
  recordOf(command: Command): number;
  describe(command: Command): string;
}

// How many commands the search for a shorter sequence may send per command of the walk: enough to leave out records,
// and few enough for the request rate of a public server.
const repeatedShare = 3;

/**
 * Performs this many random steps. A violation names the seed and the shortest failing sequence found. Name and seed
 * determine all commands, so a longer walk starts with the commands of a shorter one.
 */
export async function performWalk<State, Command>(
  model: WalkModel<State, Command>,
  { name, seed, steps }: { readonly name: string; readonly seed: number; readonly steps: number },
): Promise<void> {
  const found = await follow(model, (state, count) =>
    count < steps ? model.choose(state, seededRandom(`${seed} ${name} ${count}`)) : undefined,
  );
  if (found === undefined) return;
  const { error, commands } = await shorten(model, found, repeatedShare * steps);
  const { message, exchange, requirement, symptom } = error;
  const sequence = commands.map((command) => model.describe(command)).join(', ') || 'no command';
  throw new Violation(`${message}; walk of --seed ${seed} --walk-steps ${steps}: ${sequence}`, exchange, {
    requirement,
    ...(symptom === undefined ? {} : { symptom }),
  });
}

interface Found<Command> {
  readonly error: Violation;
  readonly commands: readonly Command[];
}

/** Performs commands on new records until a violation or the end. */
async function follow<State, Command>(
  model: WalkModel<State, Command>,
  next: (state: State, count: number) => Command | undefined,
): Promise<Found<Command> | undefined> {
  const state = await model.start();
  const commands: Command[] = [];
  try {
    for (let command = next(state, 0); command !== undefined; command = next(state, commands.length)) {
      commands.push(command);
      await model.perform(state, command);
    }
    await model.compare(state);
    return undefined;
  } catch (error) {
    if (error instanceof Violation) return { error, commands };
    throw error;
  } finally {
    // A faulty server may refuse the clean-up; this error must not replace the violation.
    await model.end(state).catch(() => undefined);
  }
}

/** Leaves out other records first, then halves, quarters and single commands, while the sequence still fails. */
async function shorten<State, Command>(
  model: WalkModel<State, Command>,
  first: Found<Command>,
  commandsMax: number,
): Promise<Found<Command>> {
  let shortest = first;
  let left = commandsMax;
  const attempt = async (kept: readonly Command[]): Promise<boolean> => {
    if (kept.length >= shortest.commands.length || kept.length > left) return false;
    left -= kept.length;
    const rest = [...kept];
    // An error other than a violation only ends this attempt, because the violation has already been found.
    const found = await follow(model, (state) => {
      while (rest[0] !== undefined && !model.isPossible(state, rest[0])) rest.shift();
      return rest.shift();
    }).catch(() => undefined);
    if (found === undefined || found.error.requirement !== first.error.requirement) return false;
    shortest = found;
    return true;
  };
  const records = first.commands.map(model.recordOf);
  await attempt(first.commands.filter((_, at) => records[at] === records.at(-1)));
  for (const record of new Set(records))
    await attempt(shortest.commands.filter((command) => model.recordOf(command) !== record));
  for (let size = Math.ceil(shortest.commands.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < shortest.commands.length; ) {
      const { commands } = shortest;
      if (!(await attempt([...commands.slice(0, at), ...commands.slice(at + size)]))) at += size;
    }
  }
  return shortest;
}
