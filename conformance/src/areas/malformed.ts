import type { Agent } from '../context/agent.ts';
import type { CaseCounts, Run } from '../context/check.ts';
import { expect, InconclusiveError, malformedCodes, Violation } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';
import type { JsonObject } from '../context/json.ts';
import { mePath } from '../context/paths.ts';

/** The type of a body member; `!` marks a required one. */
type Form = 'text' | 'id' | 'integer' | 'truth' | 'word' | 'ids' | 'time';
export type MemberTypes = Readonly<Record<string, Form | `${Form}!`>>;

// Values that are invalid in any reading of the specification; `null` is not listed, because it may mean "no value".
const wrongValues: Readonly<Record<Form, readonly unknown[]>> = {
  text: [7, ['a text']],
  id: [7, 'no-uuid'],
  integer: ['1', 1.5, true],
  truth: ['true', 1],
  word: ['another', 7],
  ids: ['a text', 7, ['no-uuid']],
  time: [7, 'tomorrow', '2099-01-01T00:00:00'],
};

/** Each of these changes makes a valid body invalid. */
export function makeInvalidChanges(forms: MemberTypes): readonly JsonObject[] {
  return Object.entries(forms).flatMap(([name, form]) => {
    const values = wrongValues[form.replace('!', '') as Form].map((value) => ({ [name]: value }));
    return form.endsWith('!') ? [...values, { [name]: undefined }] : values;
  });
}

/** A body that is hard to parse. */
interface EdgeCase {
  readonly text: string | Uint8Array;
  /** The specified status: 400 for a body that is not a JSON object, 415 for another media type. */
  readonly status?: 400 | 415;
  readonly type?: string;
}

export function makeEdgeCases(body: JsonObject): readonly EdgeCase[] {
  const good = JSON.stringify(body);
  const open = good.slice(0, -1);
  const comma = open.length > 1 ? ',' : '';
  const [deep, huge] = [`${'['.repeat(2_000)}${']'.repeat(2_000)}`, '1e999,"more":99999999999999999999'];
  const refused = [open, '[]', 'null'];
  // The server may accept or refuse these bodies: the specification does not state which.
  const answered = [
    '',
    `${open}${comma}"extra":["\\u0000\\ud800",${deep}],"huge":${huge}}`,
    Buffer.from(`${open}${comma}"extra":"\xff\xfe"}`, 'latin1'),
    `{${Object.entries(body)
      .map(([name, value]) => `"${name}":${typeof value === 'number' ? huge.split(',')[0] : '"\\u0000\\ud800"'}`)
      .join()}}`,
  ];
  return [
    ...refused.map((text) => ({ text, status: 400 }) as const),
    ...answered.map((text) => ({ text })),
    { text: good, status: 415, type: 'application/xml' },
  ];
}

/** All cases if the run sends requests without pauses, otherwise a random sample of this size. */
export function sampleCases<T>(
  run: Run,
  cases: readonly T[],
  limited: number,
): { readonly made: readonly T[]; readonly cases: CaseCounts } {
  const made = run.isPaced ? run.random.shuffled(cases).slice(0, limited) : cases;
  return { made, cases: { made: made.length, of: cases.length } };
}

export function expectMalformed(answer: Exchange, what: unknown, codes: readonly string[] = []): void {
  const known = [...malformedCodes, ...codes];
  const { method, path } = answer.request;
  const shown = JSON.stringify(what, (_, value) => (value === undefined ? 'absent' : value));
  const code = answer.status < 400 ? '' : expect.code(answer);
  // The codes of the operation may have any 4xx status: the specification does not state one.
  const isRefused = codes.includes(code) ? answer.status >= 400 && answer.status < 500 : answer.status === 400;
  expect(
    isRefused && known.includes(code),
    `${method} ${path} with ${shown}: ${answer.status} ${code} instead of 400`,
    answer,
  );
}

export async function expectEdgeCasesAnswered(
  agent: Agent,
  cases: readonly EdgeCase[],
  send: (text: string | Uint8Array, type?: string) => Promise<Exchange>,
  codes: readonly string[] = [],
): Promise<void> {
  for (const { text, status, type } of cases) {
    const answer = await expectAnswer(agent, () => send(text, type));
    if (status === 415) expect.status(answer, status);
    else if (status === 400) expectMalformed(answer, String(text).slice(0, 80), codes);
    else expect(answer.status !== 500, `${answer.request.method} ${answer.request.path} is answered with 500`, answer);
  }
}

/** Sends a request that a server may refuse in any way but must answer. */
export async function expectAnswer(agent: Agent, send: () => Promise<Exchange>): Promise<Exchange> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof InconclusiveError) || error.exchange.status !== 0) throw error;
    // Checks first that the server has not crashed.
    expect.works(await agent.get(mePath));
    throw new Violation('the connection was closed without an answer', error.exchange, { requirement: 'AP-ERR-002' });
  }
}
