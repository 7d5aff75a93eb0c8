import * as sdk from '@agent-platform/sdk';
import { expect, it } from 'vitest';
import { HintedError, Interruption, UsageError } from './failure.ts';
import { fillHintCommands, isPlainWord } from './hint-commands.ts';
import { withoutSdkNames } from './sdk-wording.ts';
import { toFailure } from './to-failure.ts';

const refusal = (status: number, code: string, retryable = false) =>
  new sdk.ApiError({
    status,
    code: 'unknown',
    serverCode: code,
    message: 'No.',
    requestId: null,
    retryAfterSeconds: null,
    details: [],
    retryable,
  });

it.each([
  ['a wrong command line', new UsageError('Wrong.'), false],
  ['a wrong command line with an example', new UsageError('Wrong.', 'For example: --page 2'), false],
  ['a hint of a command', new HintedError(new Error('No.'), 'Add --replace.'), false],
  ['an interruption', new Interruption(), false],
  ['a defect', new TypeError('x is undefined'), false],
  ['a missing server', new sdk.ConnectionError('connection_failed', 'Not reached.'), true],
  ['a slow server', new sdk.ConnectionError('timeout', 'Too slow.'), true],
  ['another kind of server', new sdk.ConnectionError('unreadable_answer', 'A page.'), false],
  ['a message without a response', new sdk.MessagePendingError('m', 'Pending.', undefined), false],
  ['an operation without a response', new sdk.OperationPendingError('o', 'Pending.', undefined), false],
  ['a lost response', new sdk.OutcomeUnknownError('createPost', 'Lost.', undefined), false],
  ['a limit', refusal(429, 'write_limited', true), true],
  ['a limit of tomorrow', refusal(429, 'limited_tomorrow', true), true],
  ['a server that is down', refusal(503, 'unavailable', true), true],
  ['an unknown refusal', refusal(418, 'a_code_of_tomorrow'), false],
  ['a state', new sdk.StateError('outbox_full', 'The outbox is full. Call messages.resume() later.'), false],
  ['a wrong option', new sdk.ConfigurationError('There is no contact. Use contacts.request() first.'), false],
])('says whether to repeat after %s, and names a command instead of a method', (_, error, retryable) => {
  const { report } = toFailure(error, 'agentp posts list');

  expect(report.retryable).toBe(retryable);
  expect(report.hint).toMatch(/\bagentp [a-z-]/);
  expect(`${report.message} ${report.hint}`).not.toMatch(/\w\.\w+\(/);
});

it('completes every command of a hint with the given values and the profile to act as', () => {
  const context = { values: { ORDER: 'o1' }, profile: 'dave' };

  expect(fillHintCommands('Read it again: agentp orders show ORDER, agentp orders quote.', context)).toBe(
    'Read it again: agentp orders show o1 --profile dave, agentp orders quote --profile dave.',
  );
  expect(fillHintCommands('agentp orders deliver ORDER --text-file FILE (later)', context)).toBe(
    'agentp orders deliver o1 --text-file FILE --profile dave (later)',
  );
  const others =
    'agentp profiles use bob; agentp register --handle NAME; agentp whoami --profile bob; agentp me --help';
  expect(fillHintCommands(others, context)).toBe(others);
  expect(fillHintCommands('To compare: agentp contacts fingerprint bob --trust "8f 1c, 2", then wait.', context)).toBe(
    'To compare: agentp contacts fingerprint bob --trust "8f 1c, 2" --profile dave, then wait.',
  );
});

it('names the list of the failed command if an id is not found, or a response was lost', () => {
  const hintOf = (error: unknown, command: string) => toFailure(error, command).report.hint;

  expect(hintOf(refusal(404, 'not_found'), 'agentp orders show')).toBe(
    'Check the id; it may belong to another agent. The orders: agentp orders list',
  );
  const lost = new sdk.OutcomeUnknownError('createPost', 'Lost.', undefined);
  expect(hintOf(lost, 'agentp posts create')).toBe('Before you repeat the command: agentp posts list');
  expect(hintOf(lost, 'agentp me update')).toMatch(/then agentp me show$/);
});

it.each(['storage_quota_exceeded', 'storage_record_limit'])(
  'suggests neither to wait nor to delete posts after %s',
  (code) => {
    expect(toFailure(refusal(429, code)).report.hint).not.toMatch(/\bwait\b|posts delete/i);
  },
);

it('never contains a token', () => {
  expect(['alice', 'a-1', 'apt_secret', 'a b', '$(x)'].filter(isPlainWord)).toEqual(['alice', 'a-1']);
});

it('names the help of the failed command if the hint names no command', () => {
  const hintOf = (error: unknown) => toFailure(error, 'agentp orders list').report.hint;

  expect(hintOf(new UsageError('Wrong.', 'For example: --page 2'))).toBe(
    'For example: --page 2; see agentp orders list --help',
  );
  expect(hintOf(new UsageError('Wrong.', 'See agentp contacts list'))).toBe('See agentp contacts list');
});

it.each([
  [
    'There is no contact with "bob". Send a request with contacts.request() and wait until it is accepted.',
    'There is no contact with "bob".',
  ],
  [
    'http://127.0.0.1:1 did not send a complete response within 5 ms; increase timeoutMs for a slow server',
    'http://127.0.0.1:1 did not send a complete response within 5 ms; increase --timeout for a slow server',
  ],
  [
    'It is not known whether "acceptOrder" took effect (lost). It is stored: orders.resume() sends it again.',
    'It is not known whether "acceptOrder" took effect (lost).',
  ],
  ['/home/alice/state.sqlite cannot be opened.', '/home/alice/state.sqlite cannot be opened.'],
  ['Use orders.resume().', 'Use orders.resume().'],
  [
    'The agent may not start the order. GET /api/v1/orders/{order_id} shows the roles.',
    'The agent may not start the order.',
  ],
  ['Search again with GET /api/v1/bots, or wait; it is listed.', 'it is listed.'],
])('omits from %j what only applies to the SDK', (message, expected) => {
  expect(withoutSdkNames(message)).toBe(expected);
});
