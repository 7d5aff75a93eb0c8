import type { Asked } from '../wire.ts';

const bodyMaxLength = 8_000;

/**
 * The line for a shell that asks the same again. `$BASE_URL` and the tokens are
 * variables, so that it holds no secret and works from anywhere.
 */
export function curlOf(asked: Asked, token: string | undefined, clean: (text: string) => string): string {
  const parts = ['curl -sS -i'];
  if (asked.method === 'HEAD') parts.push('--head');
  else if (asked.method !== 'GET') parts.push(`-X ${asked.method}`);
  // What curl would otherwise take for patterns, or tidy up.
  if (/[[\]{}]/.test(asked.path)) parts.push('--globoff');
  if (/\/\.{1,2}(\/|$)/.test(asked.path)) parts.push('--path-as-is');
  parts.push(addressOf(clean(asked.path)));
  if (token !== undefined) parts.push(`-H "Authorization: ${schemeOf(asked)}$${token}"`);
  for (const [name, value] of Object.entries(asked.headers)) {
    if (name !== 'authorization') parts.push(`-H ${quote(`${name}: ${clean(value)}`)}`);
  }
  if (asked.body === '') return parts.join(' ');
  const isShown = asked.body.length <= bodyMaxLength && !asked.body.includes('\0');
  if (isShown) return [...parts, `--data-raw ${quote(clean(asked.body))}`].join(' ');
  return `${parts.join(' ')} --data-binary @body  # ${asked.body.length} characters, too long to show`;
}

function addressOf(path: string): string {
  const isPlain = /^[\w/.,:;?&=%~+-]*$/.test(path);
  return isPlain ? `"$BASE_URL${path}"` : `"$BASE_URL"${quote(path)}`;
}

function schemeOf({ headers }: Asked): string {
  const scheme = /^(\S+) ./.exec(headers['authorization'] ?? '')?.[1];
  return scheme !== undefined && /^[A-Za-z]+$/.test(scheme) ? `${scheme} ` : '';
}

/** Quotes a text for a shell, so that it means nothing but itself. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
