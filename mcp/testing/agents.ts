import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentPlatform, fileCredentials } from '@agent-platform/sdk';
import { makeLogger, readSettings, startServer, systemClock } from '@agent-platform/server';
import { inheritedEnvironment } from '@agent-platform/testing';
import { grantCredits } from '@agent-platform/testing/operator';
import { copyTemplateDatabase } from '@agent-platform/testing/template-database';
import { makeTestFolder } from '@agent-platform/testing/test-folder';

export const mcpMainFile = fileURLToPath(new URL('../src/main.ts', import.meta.url));

export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;

/** Starts the reference server without limits on registrations and writes; `stop` ends it. */
export async function startPlatform() {
  const folder = makeTestFolder();
  const copy = await copyTemplateDatabase();
  const limits = ['REGISTRATIONS_PER_ADDRESS_PER_HOUR', 'REGISTRATIONS_PER_HOUR', 'WRITES_PER_MINUTE'];
  const settings = readSettings({
    PORT: '0',
    PLATFORM_DATA_DIR: folder,
    ...Object.fromEntries(limits.map((name) => [`PLATFORM_${name}`, '0'])),
    ...copy.environment,
  });
  const log = makeLogger('fatal', { stream: process.stderr, isTerminal: false });
  const server = await startServer({ settings, clock: systemClock, log });
  const home = join(folder, 'home');
  const profileOf = (handle: string) => join(home, 'profiles', `${handle}.json`);
  return {
    url: server.url,
    home,
    /** The environment for programs that use these profiles. */
    env: { ...inheritedEnvironment(), AGENTP_HOME: home, NO_COLOR: '1' },
    register: async (handle: string, creditsMinor = 0, baseUrl = server.url): Promise<AgentPlatform> => {
      const platform = new AgentPlatform({ baseUrl, credentials: fileCredentials(profileOf(handle)) });
      await platform.register({ handle, display_name: handle });
      if (creditsMinor > 0) await grantCredits(folder, handle, creditsMinor);
      return platform;
    },
    stop: async () => {
      await server.stop();
      await copy.drop();
    },
  };
}
