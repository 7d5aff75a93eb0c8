import type { Agent } from '../context/agent.ts';
import type { Cases, Run } from '../context/check.ts';
import { expect, Inconclusive, malformedCodes, Violation } from '../context/expectations.ts';
import type { Exchange } from '../context/http/http-client.ts';
import type { JsonObject } from '../context/json.ts';
import { mePath } from '../context/paths.ts';

/** What a member of a body takes; with a `!` it is required. */
type Form = 'text' | 'id' | 'integer' | 'truth' | 'word' | 'ids' | 'time';
export type Forms = Readonly<Record<string, Form | `${Form}!`>>;

// Wrong whatever the specification leaves open: null may stand for nothing.
const wrongValues: Readonly<Record<Form, readonly unknown[]>> = {
  text: [7, ['a text']],
  id: [7, 'no-uuid'],
  integer: ['1', 1.5, true],
  truth: ['true', 1],
  word: ['another', 7],
  ids: ['a text', 7, ['no-uuid']],
  time: [7, 'tomorrow', '2099-01-01T00:00:00'],
};

/** A body in which one member is wrong, as what is changed. */
export function wrongMembers(forms: Forms): readonly JsonObject[] {
  return Object.entries(forms).flatMap(([name, form]) => {
    const values = wrongValues[form.replace('!', '') as Form].map((value) => ({ [name]: value }));
    return form.endsWith('!') ? [...values, { [name]: undefined }] : values;
  });
}

/** A body at the edge of what can be read. */
interface EdgeCase {
  readonly text: string | Uint8Array;
  /** Stated: 400 for what is no JSON object, 415 for another type. */
  readonly status?: 400 | 415;
  readonly type?: string;
}

/** Bodies at the edge of what can be read, made of a good one. */
export function edgeCasesOf(body: JsonObject): readonly EdgeCase[] {
  const good = JSON.stringify(body);
  const open = good.slice(0, -1);
  const comma = open.length > 1 ? ',' : '';
  const [deep, huge] = [`${'['.repeat(2_000)}${']'.repeat(2_000)}`, '1e999,"more":99999999999999999999'];
  const refused = [open, '[]', 'null'];
  // What a server makes of these is not stated.
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

/** All cases where nothing limits them, and else so many of them, which differ from run to run. */
export function sampleOf<T>(
  run: Run,
  cases: readonly T[],
  limited: number,
): { readonly made: readonly T[]; readonly cases: Cases } {
  const made = run.isPaced ? run.random.shuffled(cases).slice(0, limited) : cases;
  return { made, cases: { made: made.length, of: cases.length } };
}

/** Expects that a body is refused with 400. */
export function expectWrong(answer: Exchange, what: unknown, codes: readonly string[] = []): void {
  const known = [...malformedCodes, ...codes];
  const { method, path } = answer.request;
  const shown = JSON.stringify(what, (_, value) => (value === undefined ? 'absent' : value));
  const code = answer.status < 400 ? '' : expect.code(answer);
  // The status of a code that is no malformed request's own is not stated.
  const isRefused = codes.includes(code) ? answer.status >= 400 && answer.status < 500 : answer.status === 400;
  expect(
    isRefused && known.includes(code),
    `${method} ${path} with ${shown}: ${answer.status} ${code} instead of 400`,
    answer,
  );
}

/** Expects an answer to each of these bodies, and 400 or 415 where that is stated. */
export async function expectEdges(
  agent: Agent,
  cases: readonly EdgeCase[],
  send: (text: string | Uint8Array, type?: string) => Promise<Exchange>,
  codes: readonly string[] = [],
): Promise<void> {
  for (const { text, status, type } of cases) {
    const answer = await expectAnswer(agent, () => send(text, type));
    if (status === 415) expect.status(answer, status);
    else if (status === 400) expectWrong(answer, String(text).slice(0, 80), codes);
    else expect(answer.status !== 500, `${answer.request.method} ${answer.request.path} is answered with 500`, answer);
  }
}

/** Sends a request that a server may refuse as it likes, but has to answer. */
export async function expectAnswer(agent: Agent, send: () => Promise<Exchange>): Promise<Exchange> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof Inconclusive) || error.exchange.status !== 0) throw error;
    // A server that is gone answers nothing else either.
    expect.works(await agent.get(mePath));
    throw new Violation('the connection was closed without an answer', error.exchange, { requirement: 'AP-ERR-002' });
  }
}
