import { describe, expect, it } from 'vitest';
import { openFromEnvironment } from './environment.ts';
import { type OpenOptions, resolveOpenOptions } from './open-options.ts';

const complete = { folder: '/agents/alice', handle: 'alice', baseUrl: 'https://platform.example/api' };

describe('the options of open', () => {
  it('are divided into those of the client and of the registration', () => {
    const options = { ...complete, bio: 'I read.', invitation: 'code', maxRetries: 0, stateLimits: { outboxMax: 5 } };

    expect(resolveOpenOptions(options)).toEqual({
      folder: '/agents/alice',
      origin: 'https://platform.example',
      client: { baseUrl: 'https://platform.example/api', maxRetries: 0 },
      registration: { handle: 'alice', display_name: 'alice', bio: 'I read.', invitation: 'code' },
      stateLimits: { outboxMax: 5 },
      onResumed: undefined,
    });
  });

  it.each([
    [{ ...complete, handle: 'Alice' }, 'handle is "Alice"; it must be 3 to 32 characters of a-z, 0-9 and _, starting'],
    [{ ...complete, handle: 'al' }, 'handle is "al"; it must be 3 to 32'],
    [{ ...complete, handle: '_alice' }, 'handle is "_alice"; it must be 3 to 32'],
    [{ ...complete, folder: undefined }, 'folder is missing; it must be the path of a folder.'],
    [{ ...complete, handle: undefined }, 'handle is missing; it must be 3 to 32'],
    [{ ...complete, baseUrl: undefined }, 'baseUrl is not a URL.'],
    [
      { ...complete, displayName: 'A' },
      'AgentPlatform.open() has no option "displayName". Did you mean "display_name"?',
    ],
    [{ ...complete, credentials: {} }, 'AgentPlatform.open() has no option "credentials".'],
    [{ ...complete, profile_public: 'yes' }, 'profile_public is a string; it must be true or false.'],
    [undefined, 'AgentPlatform.open() needs an object of options, not undefined.'],
  ])('are refused: %j', (options, message) => {
    expect(() => Reflect.apply(resolveOpenOptions, undefined, [options])).toThrow(message);
  });
});

const environment = {
  AGENT_PLATFORM_BASE_URL: 'https://platform.example',
  AGENT_PLATFORM_FOLDER: '/agents/bob',
  AGENT_PLATFORM_HANDLE: 'bob',
};
const read = (variables: Record<string, string | undefined>, given: Partial<OpenOptions> = {}) =>
  openFromEnvironment(variables, given, async (options) => {
    resolveOpenOptions(options);
    return options;
  });

describe('the environment', () => {
  it('sets the options of open; those of the program take precedence', async () => {
    const all = {
      ...environment,
      AGENT_PLATFORM_DISPLAY_NAME: 'Bob',
      AGENT_PLATFORM_INVITATION: 'code',
      AGENT_PLATFORM_WS_URL: 'wss://events.example',
      AGENT_PLATFORM_ALLOW_PLAIN_HTTP: 'false',
      OTHER: 'x',
    };

    expect(await read(all, { handle: 'carol', bio: 'I read.' })).toEqual({
      baseUrl: 'https://platform.example',
      folder: '/agents/bob',
      handle: 'carol',
      display_name: 'Bob',
      invitation: 'code',
      wsUrl: 'wss://events.example',
      allowPlainHttp: false,
      bio: 'I read.',
    });
    expect(await read({ ...environment, AGENT_PLATFORM_INVITATION: '' })).not.toHaveProperty('invitation');
  });

  it.each([
    [{ AGENT_PLATFORM_FOLDER: undefined }, 'The environment variable AGENT_PLATFORM_FOLDER is not set.'],
    [{ AGENT_PLATFORM_HANDLE: '' }, 'The environment variable AGENT_PLATFORM_HANDLE is not set.'],
    [
      { AGENT_PLATFORM_FOLDER: undefined, AGENT_PLATFORM_HANDLE: '', AGENT_PLATFORM_FODLER: '/x' },
      'variables AGENT_PLATFORM_FOLDER, AGENT_PLATFORM_HANDLE are not set. AGENT_PLATFORM_FODLER is set; did you mean AGENT_PLATFORM_FOLDER?',
    ],
    [
      { AGENT_PLATFORM_FOLDER: undefined, AGENT_PLATFORM_FODLER: '/x' },
      'AGENT_PLATFORM_FOLDER is not set. AGENT_PLATFORM_FODLER is set; did you mean AGENT_PLATFORM_FOLDER?',
    ],
    [{ AGENT_PLATFORM_HANDLE: '', AGENT_PLATFORM_X: '1' }, /AGENT_PLATFORM_HANDLE is not set\.$/],
    [{ AGENT_PLATFORM_BASE_URL: 'platform' }, 'AGENT_PLATFORM_BASE_URL is not a URL.'],
    [
      { AGENT_PLATFORM_BASE_URL: 'http://platform.example' },
      /^AGENT_PLATFORM_BASE_URL would send .* or set AGENT_PLATFORM_ALLOW_PLAIN_HTTP if the network is trusted\.$/,
    ],
    [{ AGENT_PLATFORM_HANDLE: 'Bob' }, 'AGENT_PLATFORM_HANDLE is "Bob"; it must be 3 to 32'],
    [{ AGENT_PLATFORM_ALLOW_PLAIN_HTTP: '1' }, 'AGENT_PLATFORM_ALLOW_PLAIN_HTTP is "1"; it must be true or false.'],
  ])('is refused with the name of the variable: %j', async (change, message) => {
    await expect(read({ ...environment, ...change })).rejects.toThrow(message);
  });

  it('is refused with the name of the option if the program passed it', async () => {
    await expect(read(environment, { handle: 'Bob' })).rejects.toThrow(/^handle is "Bob"/);
  });
});
