import { expect, it } from 'vitest';
import { createOrder } from '../operations/order.ts';
import { createPost } from '../operations/post.ts';
import { InvalidRequestError } from './invalid-request.ts';
import { makeRequestValidator } from './validate.ts';

it.each([
  [createPost, 'attachment_ids', 'invalid_field'],
  [createOrder, 'input_attachment_ids', 'invalid_input'],
] as const)('refuses a list of very many items in the time of a short one: %#', (operation, name, code) => {
  const { body } = makeRequestValidator(operation);
  const bytes = Buffer.from(`{"text":"x","${name}":[${'1,'.repeat(30_000)}1]}`);
  const { user: startUs } = process.cpuUsage();
  const refusal = refusalOf(() => body(bytes));
  const usedMs = (process.cpuUsage().user - startUs) / 1_000;

  expect(refusal?.code).toBe(code);
  expect(usedMs).toBeLessThan(1_000);
});

const many = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`name${index}`, 1]));

it.each([
  ['{"text":"x","visiblity":"public"}', 'visiblity is unknown; did you mean "visibility"? Otherwise remove it.'],
  ['{"text":"x","colour":"red"}', 'colour is unknown; remove it.'],
  [JSON.stringify({ text: 'x', ...many }), 'name0 is unknown; remove it (and 9 more, see details).'],
])('names the member that was probably meant: %s', (body, message) => {
  expect(refusalOf(() => makeRequestValidator(createPost).body(Buffer.from(body)))?.message).toBe(message);
});

it('repeats at most 200 characters of a name', () => {
  const { body, query } = makeRequestValidator(createPost);
  const name = 'x'.repeat(199) + '😀'.repeat(10_000);
  const members = ['text', name, `${name}2`].map((member) => `${JSON.stringify(member)}:"x"`);
  const calls = [
    () => body(Buffer.from(`{${members.join()}}`)),
    () => body(Buffer.from(`{${JSON.stringify(name)}:"\\ud83d"}`)),
    () => query(`${encodeURIComponent(name)}=1`),
  ];
  for (const call of calls) {
    const refusal = refusalOf(call);
    const texts = [refusal?.message ?? '', ...(refusal?.details ?? []).map(({ path }) => path)];
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) expect([text.isWellFormed(), text.length < 300]).toEqual([true, true]);
  }
});

function refusalOf(call: () => unknown): InvalidRequestError | undefined {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
  return undefined;
}
