import { describe, expect, it } from 'vitest';
import { makeTestClient, replyPassport } from '../testing/client.ts';
import { failureOf, makeCredentialStore } from '../testing/records.ts';
import { serveScript } from '../testing/scripted-server.ts';
import { AgentPlatform, folderState } from './index.ts';

const baseUrl = 'https://platform.example';
// Calls the constructor as a program without type checks can.
const make = (options: unknown) => () => Reflect.construct(AgentPlatform, [options]);

describe('the options of a client', () => {
  it.each([
    [{ baseUrl, credential: {} }, 'new AgentPlatform() has no option "credential". Did you mean "credentials"?'],
    [
      { baseUrl, credentials: './alice.json' },
      "credentials is a string; it must be a credential store, such as fileCredentials('./alice.json').",
    ],
    [
      { baseUrl, credentials: { load: () => undefined } },
      'credentials is an object of another class; it must be a cre',
    ],
    [{ baseUrl, state: './state' }, "state is a string; it must be a state, such as folderState('./alice-state')."],
    [{ baseUrl, hooks: { onRespons: () => undefined } }, 'hooks has no option "onRespons". Did you mean "onResponse"?'],
    [{ baseUrl, hooks: { onRetry: 'console' } }, 'onRetry is a string; it must be a function.'],
    [{ baseUrl, allowPlainHttp: 'false' }, 'allowPlainHttp is a string; it must be true or false.'],
    [{ baseUrl, timeoutMs: '5' }, 'timeoutMs is a string; it must be a number.'],
    [{ baseUrl, timeoutMs: 0 }, 'timeoutMs is 0; it must be an integer from 1'],
    [{}, 'baseUrl is not a URL.'],
    [{ baseUrl: 7 }, 'baseUrl is a number; it must be a URL.'],
    [baseUrl, 'new AgentPlatform() needs an object of options, not a string.'],
    [undefined, 'new AgentPlatform() needs an object of options, not undefined.'],
  ])('are refused: %j', (options, message) => {
    expect(make(options)).toThrow(message);
  });

  it('are refused in the limits of a state', () => {
    expect(() => Reflect.apply(folderState, undefined, ['./state', { outBoxMaximum: 5 }])).toThrow(
      'A state has no option "outBoxMaximum". Did you mean "outboxMax"?',
    );
  });
});

const calls: Record<string, (platform: AgentPlatform, options: never) => PromiseLike<unknown>> = {
  'bots.me': (platform, options) => platform.bots.me(options),
  'bots.list': (platform, options) => platform.bots.list(options),
  'posts.list': (platform, options) => platform.posts.list(options),
  'contacts.list': (platform, options) => platform.contacts.list(options),
  'wallet.history': (platform, options) => platform.wallet.history(options),
  'messages.list': (platform, options) => platform.messages.list('bob', options),
  'messages.send': (platform, options) => platform.messages.send('bob', 'Hello', options),
  'messages.resume': (platform, options) => platform.messages.resume(options),
  'orders.create': (platform, options) => platform.orders.create({ contractor_id: 'bob' } as never, options),
  'orders.accept': (platform, options) => platform.orders.accept({ id: 'x', version: 1 }, {}, options),
  'orders.resume': (platform, options) => platform.orders.resume(options),
  'orders.watch': (platform, options) => platform.orders.watch('x', options).next(),
  'events.run': (platform, options) => platform.events.run(options),
  'events.listen': (platform, options) => platform.events.listen(options).next(),
  'events.receive': (platform, options) => platform.events.receive(options).next(),
  'events.follow': (platform, options) => platform.events.follow(options).next(),
  'events.next': (platform, options) => platform.events.next(options),
  'attachments.upload': (platform, options) => platform.attachments.upload(new Uint8Array(1), options),
  'tokens.rotate': (platform, options) => platform.tokens.rotate(options),
};

it.each(Object.keys(calls))(
  '%s refuses an option that it does not have, and sends and stores nothing',
  async (name) => {
    const server = await serveScript(replyPassport);
    const platform = makeTestClient(server.url, { credentials: makeCredentialStore(server.url) });
    const fail = async (options: unknown) =>
      await failureOf((async () => await calls[name]?.(platform, options as never))());

    expect(await fail({ colour: 'red' })).toMatchObject({
      code: 'invalid_option',
      message: expect.stringContaining('no option "colour"'),
    });
    expect(await fail({ signal: 'now', before: 7, page: '1' })).toMatchObject({ code: 'invalid_option' });
    expect(server.received).toEqual([]);
    expect(await platform.messages.pending()).toEqual([]);
    expect(await platform.orders.pending()).toEqual([]);
  },
);

it('an unknown event kind is refused, because no such event would ever arrive', async () => {
  const { events } = makeTestClient(baseUrl);
  const signal = AbortSignal.timeout(2_000);
  const kinds = { kinds: ['order.change'] as never, signal };
  const none = { kinds: [], signal };
  const refused = { code: 'invalid_option', message: expect.stringContaining('order.changed') };
  const nearest = { code: 'invalid_option', message: expect.stringMatching(/Did you mean "order\.changed"\?$/) };

  expect(await failureOf(events.run(kinds))).toMatchObject(nearest);
  expect(await failureOf(events.listen(kinds).next())).toMatchObject(nearest);
  expect(await failureOf(events.listen(none).next())).toMatchObject(refused);
  expect(() => events.on('order.change' as never, () => undefined)).toThrow(expect.objectContaining(nearest));
  expect(() => events.on('order.changed', undefined as never)).toThrow(
    'events.on("order.changed") needs a handler: a function that takes the event.',
  );
  expect(await failureOf(events.list('parked' as never))).toMatchObject({
    code: 'invalid_option',
    message: 'The status of an event is "parked"; it must be one of waiting, leased, failed, finished.',
  });
  expect(await failureOf(events.list('fail' as never))).toMatchObject({
    message: expect.stringMatching(/Did you mean "failed"\?$/),
  });
});

it.each<[string, (platform: AgentPlatform) => unknown]>([
  ['events.use() needs a handler: a function', ({ events }) => events.use({} as never)],
  ['orders.work() needs a handler: a function', ({ orders }) => orders.work('handler' as never)],
  ['Pass a friend as an id, a handle', ({ messages }) => messages.send(undefined as never, 'Hello')],
  ['Pass a friend as an id, a handle', ({ messages }) => messages.list({} as never)],
  ['Pass a friend as an id, a handle', ({ contacts }) => contacts.checkKey(null as never)],
  ['A message is a text', ({ messages }) => messages.send('bob', undefined as never)],
  ['A message is a text', ({ messages }) => messages.send('bob', { text: 7 } as never)],
])('an argument of a wrong type is refused: %s, %s', async (message, call) => {
  const failure = await failureOf((async () => await call(makeTestClient(baseUrl)))());

  expect(failure).toMatchObject({ code: 'invalid_option', message: expect.stringContaining(message) });
});
