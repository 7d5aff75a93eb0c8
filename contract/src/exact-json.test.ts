import { expect, it } from 'vitest';
import { parseExactJson } from './exact-json.ts';

const parse = (text: string) => parseExactJson(text, (name, rounded) => `${name} is not ${rounded}`);

it.each([
  ['5', 5],
  ['5.0', 5],
  ['5e0', 5],
  ['0.5E+1', 5],
  ['500e-2', 5],
  ['5.00000000000000000000000000000', 5],
  ['-5.0', -5],
  ['0', 0],
  ['-0.0e9', -0],
  ['0e99999999999999999999', 0],
  ['1000000000000', 1_000_000_000_000],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', 2 ** 53],
  ['1e21', 1e21],
  ['4.5', 4.5],
  ['0.1', 0.1],
])('reads %s as every parser does', (text, value) => {
  expect(parse(`{"amount_minor":${text}}`)).toEqual({ amount_minor: value });
  expect(parse(`{ "in" : { "a" : ${text} } }`)).toEqual({ in: { a: value } });
});

it.each([
  ['4.9999999999999999999999', 5],
  ['5.0000000000000000000001', 5],
  ['49999999999999999999999e-22', 5],
  ['-4.9999999999999999999999', -5],
  ['1e-400', 0],
  ['0.00000000000000000000000000000000000001e-300', 0],
  ['9007199254740993', 2 ** 53],
  ['1000000000000.00001', 1_000_000_000_000],
  ['1e-324', 0],
])('finds that %s is not %s', (text, rounded) => {
  expect(parse(`{"amount_minor":${text}}`)).toEqual({ amount_minor: `amount_minor is not ${rounded}` });
});

it('uses the last of two members with the same name, like JSON.parse', () => {
  expect(parse('{"a":4.9999999999999999999999,"a":5}')).toEqual({ a: 5 });
  expect(parse('{"a":5,"a":4.9999999999999999999999}')).toEqual({ a: 'a is not 5' });
});

it('does not change numbers in texts', () => {
  const value = { text: '"amount_minor": 4.9999999999999999999999', list: [null, true, 'x'], ['__proto__']: 1 };

  expect(parse(JSON.stringify(value))).toEqual(value);
});

it('throws what the replacement throws, and what JSON.parse throws', () => {
  const refuse = () => {
    throw new RangeError('rounded');
  };
  expect(() => parseExactJson('{"a":4.9999999999999999999999}', refuse)).toThrow(RangeError);
  expect(() => parseExactJson('{"a":1.0,}', refuse)).toThrow(SyntaxError);
  expect(() => parseExactJson('{', refuse)).toThrow(SyntaxError);
});

it('takes linear time for long numbers', () => {
  const zeros = '0'.repeat(60_000);

  expect(parse(`{"a":1${zeros}1e-60001}`)).toEqual({ a: 'a is not 1' });
  expect(parse(`{"a":5.${zeros}}`)).toEqual({ a: 5 });
});
