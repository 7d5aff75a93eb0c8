import { findNearestName } from '@agent-platform/contract/client';
import { ConfigurationError } from '../errors.ts';
import type { OpenOptions } from './open-options.ts';

const prefix = 'AGENT_PLATFORM_';

const variables = {
  baseUrl: 'AGENT_PLATFORM_BASE_URL',
  folder: 'AGENT_PLATFORM_FOLDER',
  handle: 'AGENT_PLATFORM_HANDLE',
  display_name: 'AGENT_PLATFORM_DISPLAY_NAME',
  invitation: 'AGENT_PLATFORM_INVITATION',
  wsUrl: 'AGENT_PLATFORM_WS_URL',
  allowPlainHttp: 'AGENT_PLATFORM_ALLOW_PLAIN_HTTP',
} as const satisfies { readonly [Name in keyof OpenOptions]?: string };

const required = ['baseUrl', 'folder', 'handle'] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Calls `open` with options from environment variables; the options in `given` take precedence. An empty variable
 * counts as absent. Error messages contain the name of the variable.
 */
export async function openFromEnvironment<T>(
  environment: Environment,
  given: Partial<OpenOptions>,
  open: (options: OpenOptions) => Promise<T>,
): Promise<T> {
  const names = new Map<string, string>(
    Object.entries(variables).filter(([option]) => Reflect.get(given, option) === undefined),
  );
  const found: Record<string, string | boolean> = {};
  for (const [option, variable] of names) {
    const value = environment[variable] ?? '';
    if (value !== '') found[option] = option === 'allowPlainHttp' ? readFlag(variable, value) : value;
  }
  const absent = required.filter((option) => names.has(option) && found[option] === undefined);
  if (absent.length > 0)
    throw missing(
      absent.map((option) => variables[option]),
      environment,
    );
  try {
    // The cast is safe, because `open` checks the values.
    return await open({ ...given, ...found } as OpenOptions);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // Replaces option names with variable names: the first word of the message, and `allowPlainHttp` anywhere.
    throw new ConfigurationError(
      error.message.replaceAll(/^\w+|\ballowPlainHttp\b/g, (option) => names.get(option) ?? option),
    );
  }
}

function missing(absent: readonly string[], environment: Environment): ConfigurationError {
  const known: readonly string[] = Object.values(variables);
  const others = Object.keys(environment).filter((name) => name.startsWith(prefix) && !known.includes(name));
  const ends = others.map((name) => name.slice(prefix.length));
  const advice = absent.map((variable) => {
    const nearest = findNearestName(variable.slice(prefix.length), ends);
    return nearest === undefined ? '' : ` ${prefix}${nearest} is set; did you mean ${variable}?`;
  });
  const [which, are] = absent.length === 1 ? ['variable', 'is'] : ['variables', 'are'];
  return new ConfigurationError(`The environment ${which} ${absent.join(', ')} ${are} not set.${advice.join('')}`);
}

function readFlag(variable: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new ConfigurationError(`${variable} is ${JSON.stringify(value)}; it must be true or false.`);
}
