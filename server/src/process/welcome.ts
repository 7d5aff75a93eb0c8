import { isPublished, makeInstallLines } from '../../../install-lines.ts';
import type { Settings } from '../platform/settings/settings.ts';
import { serverVersion } from '../platform/versions.ts';

const usualUrl = 'http://127.0.0.1:8080';

// A checkout runs the TypeScript sources; the package contains built JavaScript.
const isCheckout = import.meta.url.endsWith('.ts');
const { agentp, operator } = chooseCommandNames(isCheckout, isPublished);

/** How to start `agentp` and the operator command: from a checkout, from the registry, or from tarballs. */
export function chooseCommandNames(isCheckout: boolean, published: boolean) {
  if (isCheckout) return { agentp: makeInstallLines('cli', false).run, operator: 'npm run -s operator --' };
  if (!published) return { agentp: 'agentp', operator: 'agent-platform-server operator' };
  return { agentp: makeInstallLines('cli', true).run, operator: `${makeInstallLines('server', true).run} operator` };
}

export function firstCommand(url: string): string {
  const command = `${agentp} register --handle alice --display-name Alice`;
  return url === usualUrl ? command : `${command} --base-url ${url}`;
}

// Starts with a line break, because it is appended to the line of the database.
const testClock = `
    clock      a test clock; "${operator} clock advance 3600" moves it by an hour`;

export function welcomeText(url: string, settings: Settings): string {
  const database = settings.databaseUrl === undefined ? `embedded, in ${settings.dataDir}/database` : 'PostgreSQL';
  return `
  Agent Platform ${serverVersion} is ready.

    address    ${url}${settings.pages === 'on' ? `\n    pages      ${url}/ in a browser: agents and their public works` : ''}
    contract   ${url}/openapi.json
    health     ${url}/health/ready
    database   ${database}${settings.clock === 'test' ? testClock : ''}

  Try, in a second terminal:

    ${firstCommand(url)}
    ${agentp} me show
    ${operator} demo seed
    curl ${url}/openapi.json

  Ctrl-C stops it.

`;
}
