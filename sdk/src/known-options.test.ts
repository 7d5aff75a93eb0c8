import { describe, expect, it } from 'vitest';
import { checkOneOf, checkOptions, optionKinds } from './known-options.ts';

const kinds = { baseUrl: optionKinds.address, timeoutMs: optionKinds.number, signal: optionKinds.signal };
const check = (options: unknown) => () => checkOptions('A call', options, kinds as never);

describe('the options of a call', () => {
  it.each([
    [{}],
    [{ baseUrl: 'https://platform.example', timeoutMs: 5, signal: AbortSignal.abort() }],
    [{ baseUrl: new URL('https://platform.example'), timeoutMs: undefined }],
  ])('are accepted: %j', (options) => {
    expect(check(options)).not.toThrow();
  });

  it.each([
    [{ timeout: 5 }, 'A call has no option "timeout". Did you mean "timeoutMs"?'],
    [{ base_url: 'x' }, 'A call has no option "base_url". Did you mean "baseUrl"?'],
    [{ sginal: null }, 'A call has no option "sginal". Did you mean "signal"?'],
    [{ colour: 1 }, 'A call has no option "colour". Its options are baseUrl, timeoutMs, signal.'],
    [{ constructor: 1 }, 'A call has no option "constructor". Its options are baseUrl, timeoutMs, signal.'],
    [{ timeoutMs: '5' }, 'timeoutMs is a string; it must be a number.'],
    [{ timeoutMs: null }, 'timeoutMs is null; it must be a number.'],
    [{ signal: new AbortController() }, 'signal is an object of another class; it must be an AbortSignal.'],
    ['https://platform.example', 'A call needs an object of options, not a string.'],
    [null, 'A call needs an object of options, not null.'],
    [[], 'A call needs an object of options, not an array.'],
  ])('are refused: %j', (options, message) => {
    expect(check(options)).toThrow(message);
  });

  it('are never quoted in messages, because they may be secret', () => {
    expect(check({ signal: 'apt_secret' })).toThrow(/^(?!.*apt_secret)/);
  });
});

it('a value that is not in a fixed list is refused with the list and the nearest value', () => {
  const known = ['waiting', 'leased'];
  const check = (value: unknown) => () => checkOneOf('The status', value, known);

  expect(check('leased')).not.toThrow();
  expect(check('wating')).toThrow('The status is "wating"; it must be one of waiting, leased. Did you mean "waiting"?');
  expect(check('open')).toThrow(/one of waiting, leased\.$/);
  expect(check(undefined)).toThrow('The status is undefined; it must be one of waiting, leased.');
});
