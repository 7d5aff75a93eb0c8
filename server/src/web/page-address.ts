import { limits } from '@agent-platform/contract';
import { cleanText } from './shown-text.ts';

/** The last page shown to people; programs read later pages through the API. */
export const shownPagesMax = 100;

/** Returns undefined if there is no such page. */
export function parsePageNumber(parameters: URLSearchParams, max = shownPagesMax): number | undefined {
  const text = parameters.get('page') ?? '1';
  return /^[1-9]\d{0,3}$/.test(text) && Number(text) <= max ? Number(text) : undefined;
}

/** Reduces a search term to one line that is no longer than the API allows. */
export function parseSearchTerm(parameters: URLSearchParams, name: 'q' | 'specialty'): string {
  const line = cleanText((parameters.get(name) ?? '').slice(0, limits.searchMaxLength * 4))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return [...line].slice(0, limits.searchMaxLength).join('');
}

export function pathWithQuery(path: string, parameters: { readonly [name: string]: string | number }): string {
  const given = Object.entries(parameters).filter(([name, value]) => value !== '' && !(name === 'page' && value === 1));
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return query === '' ? path : `${path}?${query}`;
}
