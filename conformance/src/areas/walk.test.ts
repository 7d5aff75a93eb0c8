import { describe, expect, it } from 'vitest';
import { InconclusiveError, Violation } from '../context/expectations.ts';
import { performWalk, type WalkModel } from './walk.ts';

interface Counters {
  readonly model: number[];
  readonly server: number[];
}

interface Command {
  readonly do: 'add' | 'halve' | 'read';
  readonly counter: number;
}

/** A model of two counters. A faulty server miscounts if the first counter is three or more when it is halved. */
function counters(isFaulty: boolean, log: Command[] = []): WalkModel<Counters, Command> {
  return {
    start: async () => ({ model: [0, 0], server: [0, 0] }),
    choose: (_, random) => ({ do: random.of(['add', 'halve', 'read']), counter: random.of([0, 1]) }),
    isPossible: ({ model }, command) => command.do !== 'halve' || model[command.counter] !== 0,
    perform: async ({ model, server }, command) => {
      log.push(command);
      const { do: deed, counter } = command;
      const before = model[counter] ?? 0;
      const isWrong = server[counter] !== before || (isFaulty && counter === 0 && deed === 'halve' && before >= 3);
      if (deed === 'add') model[counter] = before + 1;
      if (deed === 'halve') model[counter] = Math.floor(before / 2);
      server[counter] = isWrong ? -1 : (model[counter] ?? 0);
    },
    compare: async ({ model, server }) => {
      if (String(model) !== String(server)) throw new Violation('a counter is wrong');
    },
    end: async () => undefined,
    recordOf: ({ counter }) => counter,
    describe: ({ do: deed, counter }) => `${deed} ${counter}`,
  };
}

/** The same model, which also compares all records after every command. */
function watched(model: WalkModel<Counters, Command>): WalkModel<Counters, Command> {
  return {
    ...model,
    perform: async (state, command) => {
      await model.perform(state, command);
      await model.compare(state);
    },
  };
}

const answer = {
  request: { method: 'POST', path: '/', headers: {}, body: '' },
  status: 503,
  headers: {},
  text: '',
  bytes: Buffer.alloc(0),
  json: undefined,
};

const route = { name: 'counters', seed: 4, steps: 100 };
const shortest = 'a counter is wrong; walk of --seed 4 --walk-steps 100: add 0, add 0, add 0, halve 0';

describe('a walk', () => {
  it('reports the shortest failing sequence and its seed', async () => {
    await expect(performWalk(watched(counters(true)), route)).rejects.toThrow(shortest);
  });

  it('compares all records after the last command', async () => {
    await expect(performWalk(counters(true), route)).rejects.toThrow('a counter is wrong; walk of --seed 4');
  });

  it('performs the same steps for the same seed and name; a longer walk starts like a shorter one', async () => {
    const take = async (change: Partial<typeof route>) => {
      const log: Command[] = [];
      await performWalk(counters(false, log), { ...route, ...change });
      return log;
    };
    const taken = await take({});
    expect(taken).toHaveLength(100);
    expect(await take({})).toEqual(taken);
    expect(await take({ steps: 40 })).toEqual(taken.slice(0, 40));
    expect(await take({ seed: 5 })).not.toEqual(taken);
    expect(await take({ name: 'others' })).not.toEqual(taken);
  });

  it('sends at most three times as many commands to shorten a sequence', async () => {
    let inAll = 0;
    let inWalk = 0;
    const needsAll = {
      ...counters(false),
      perform: async () => {
        inAll += 1;
        inWalk += 1;
        if (inWalk === 20) throw new Violation('the twentieth command is wrong');
      },
      end: async () => {
        inWalk = 0;
      },
    };
    await expect(performWalk(needsAll, { ...route, steps: 20 })).rejects.toThrow('the twentieth command is wrong');
    expect(inAll).toBeGreaterThan(2 * 20);
    expect(inAll).toBeLessThanOrEqual(4 * 20);
  });

  it('still reports the violation if the server is busy later', async () => {
    const model = watched(counters(true));
    let walks = 0;
    const busy = () => Promise.reject(new InconclusiveError('503', answer));
    const start = () => (walks++ === 0 ? model.start() : busy());
    await expect(performWalk({ ...model, start }, route)).rejects.toThrow('a counter is wrong; walk of --seed 4');
    await expect(performWalk({ ...model, perform: busy }, route)).rejects.toBeInstanceOf(InconclusiveError);
  });
});
