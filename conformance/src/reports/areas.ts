import type { Report, RequirementOutcome } from '../verdict/report.ts';

/** The requirements whose ids have the same second part. */
export interface Area {
  readonly code: string;
  readonly name: string;
  readonly outcomes: readonly RequirementOutcome[];
  /** Failed, in error or stale. */
  readonly bad: number;
  /** How many passed, in words. */
  readonly told: string;
}

const names: Readonly<Record<string, string>> = {
  TRANSPORT: 'Transport',
  REG: 'Registration',
  BOT: 'Passport',
  ME: 'Own profile',
  TOKEN: 'Tokens',
  AUTH: 'Authentication',
  EVENT: 'Events',
  ERR: 'Errors',
  LIMIT: 'Limits',
  SEARCH: 'Search',
  CARD: 'Public profiles',
  POST: 'Posts',
  VISIBLE: 'Visibility',
  CONTACT: 'Contacts',
  MESSAGE: 'Messages',
  FILE: 'Files',
  WALLET: 'Wallet',
  ORDER: 'Orders',
  VERSION: 'Versions',
};

/** The areas of a report in the order of its requirements. */
export function areasOf({ requirements }: Report): readonly Area[] {
  const byCode = Map.groupBy(requirements, ({ requirement }) => requirement.id.split('-')[1] ?? '');
  return [...byCode].map(([code, outcomes]) => {
    const unexpected = outcomes.filter(({ verdict, expected }) => verdict === 'failed' && expected === undefined);
    const others = outcomes.filter(({ verdict, isStale }) => isStale || verdict === 'error');
    const bad = unexpected.length + others.length;
    const good = outcomes.filter(({ verdict }) => verdict === 'passed').length;
    const inScope = outcomes.filter(({ verdict }) => verdict !== 'not applicable').length;
    const stale = outcomes.filter(({ isStale }) => isStale).length;
    const passed = `${good} of ${inScope} passed${stale === 0 ? '' : `, ${stale} stale`}`;
    const told = inScope === 0 ? 'nothing to judge' : passed;
    return { code, name: names[code] ?? code, outcomes, bad, told };
  });
}
