import { startProgram } from '@agent-platform/testing';
import { expect, it, onTestFinished } from 'vitest';
import { makeTestClient, replyPassport } from '../../../testing/client.ts';
import { testPassport } from '../../../testing/records.ts';
import { serveScript } from '../../../testing/scripted-server.ts';

const slots = [1, 2].map((version) => Symbol.for(`undici.globalDispatcher.${version}`));

interface OldHandler {
  onConnect(abort: () => void): void;
  onHeaders(status: number, headers: readonly Buffer[], resume: () => void): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(trailers: readonly Buffer[]): void;
}

it('is the one of the program, also of an earlier version of undici', async () => {
  const [slot = Symbol()] = slots;
  const before: unknown = Reflect.get(globalThis, slot);
  const paths: string[] = [];
  const dispatcher = {
    dispatch: ({ path }: { readonly path: string }, handler: OldHandler) => {
      paths.push(path);
      handler.onConnect(() => undefined);
      handler.onHeaders(
        200,
        ['Content-Type', 'application/json'].map((text) => Buffer.from(text)),
        () => undefined,
      );
      handler.onData(Buffer.from('{"bot":'));
      handler.onData(Buffer.from(`${JSON.stringify(testPassport)}}`));
      handler.onComplete([]);
    },
  };
  Reflect.set(globalThis, slot, dispatcher);
  onTestFinished(() => void Reflect.set(globalThis, slot, before));

  expect(await makeTestClient('http://127.0.0.1:9').bots.me()).toEqual(testPassport);
  expect(paths).toEqual(['/api/v1/bots/me']);
  expect(Reflect.get(globalThis, slot)).toBe(dispatcher);
});

it.each(['', 'await fetch(url);'])('is not replaced by a call after %j', async (use) => {
  const server = await serveScript(replyPassport, replyPassport);
  const sdk = new URL('../../index.ts', import.meta.url).href;
  const program = `
    const url = '${server.url}';
    ${use}
    const read = () => [1, 2].map((version) => globalThis[Symbol.for('undici.globalDispatcher.' + version)]);
    const before = read();
    const { AgentPlatform } = await import('${sdk}');
    await new AgentPlatform({ baseUrl: url }).health.live().catch(() => undefined);
    process.stdout.write(JSON.stringify(read().map((slot, index) => slot === before[index])));`;
  const child = startProgram(process.execPath, ['--input-type=module', '-e', program], { stdin: '' });

  expect([await child.ended, child.written.stdout]).toEqual([0, '[true,true]']);
  expect(server.received.at(-1)?.path).toBe('/health/live');
});
