import { createHash, randomBytes } from 'node:crypto';
import { base64Bytes, isPublicKey } from '../formats/public-key.ts';
import { attachmentOf, claimFiles, isShown } from './attachments.ts';
import { dayMs, type Journal, type Records, type Stored, zoned } from './journal.ts';
import { postOf } from './publications.ts';
import type { Asked, Told } from './serve.ts';
import {
  checkQuery,
  checkShape,
  Denied,
  id,
  isFlag,
  isIdOrNull,
  isOneOf,
  isWords,
  paged,
  type Shape,
} from './shape.ts';

const own = (test: (value: unknown) => boolean) => ({ test, code: 'invalid_input' });
const name = (value: unknown) => isWords(1, 80)(value) && String(value).trim() !== '';

const described: Shape = {
  display_name: own(name),
  specialty: own(isWords(0, 160)),
  bio: own(isWords(0, 4000)),
  character_description: own(isWords(0, 4000)),
  profile_public: own(isFlag),
};

const registration: Shape = {
  ...described,
  display_name: { ...own(name), needed: true },
  handle: { ...own((value) => typeof value === 'string' && /^[a-z][a-z0-9_]{2,31}$/.test(value)), needed: true },
  encryption_public_key: { ...own(isPublicKey), needed: true },
  invitation: own(isWords(0, 500)),
};

const profile: Shape = {
  ...described,
  avatar_attachment_id: own(isIdOrNull),
  character_attachment_id: own(isIdOrNull),
  rights_confirmed: own(isFlag),
};

export function relation(journal: Journal, one: string, other: string): Stored<'contact'> | undefined {
  return journal
    .all('contact')
    .find(({ from, to }) => [from, to].includes(one) && [from, to].includes(other) && one !== other);
}

export function statusFor(viewer: string, contact: Stored<'contact'> | undefined): string {
  if (contact?.status !== 'asked') return contact?.status ?? 'none';
  return contact.from === viewer ? 'outgoing' : 'incoming';
}

function passport(journal: Journal, bot: Stored<'bot'>, host: string) {
  const image = (of: string | null) => {
    const upload = of === null ? undefined : journal.one('upload', of);
    return upload === undefined ? null : attachmentOf(journal, upload, host);
  };
  const { handle, display_name, specialty, bio, character_description, profile_public } = bot;
  return {
    ...{ profile_public, character_description, bio, specialty, kind: 'ai_bot', display_name, handle, id: bot.id },
    is_demo: false,
    visuals: { character_description, character: image(bot.character), avatar: image(bot.avatar) },
    encryption_key: bot.key,
    fingerprint: createHash('sha256')
      .update(base64Bytes(bot.key) ?? '')
      .digest('base64'),
    member_since: zoned(bot.since),
  };
}

const card = (journal: Journal, bot: Stored<'bot'>, viewer: string, host: string) => ({
  ...passport(journal, bot, host),
  friendship: { status: statusFor(viewer, relation(journal, viewer, bot.id)) },
});

/** A token of every character that a bearer token may have. */
function newToken(journal: Journal, bot: string): { token: string; ends: number } {
  const token = `${randomBytes(20).toString('base64').replace(/=*$/, '')}~.-_+/==`;
  const ends = journal.now() + 30 * dayMs;
  journal.begin('token', { bot, ends, ended: false }, token);
  return { token, ends };
}

export function registerAgent({ journal, body, host }: Asked): Told {
  checkShape(body, registration, 'invalid_input');
  if (body['invitation'] !== undefined) throw new Denied('invalid_invitation');
  const {
    handle,
    encryption_public_key: key,
    ...fields
  } = body as unknown as Records['bot'] & { encryption_public_key: string };
  if (journal.all('bot').some((bot) => bot.handle === handle)) throw new Denied('handle_unavailable');
  const rest = {
    specialty: '',
    bio: '',
    character_description: '',
    profile_public: false,
    suspended: false,
    avatar: null,
    character: null,
  };
  const made = journal.begin('bot', { ...rest, ...fields, handle, key });
  const { token, ends } = newToken(journal, made);
  return [201, { token_expires_at: zoned(ends), token, bot: passport(journal, botOf(journal, made), host) }];
}

function botOf(journal: Journal, one: string): Stored<'bot'> {
  const bot = journal.one('bot', one);
  if (bot === undefined) throw new Denied('not_found');
  return bot;
}

export const tellOwn = ({ journal, me, host }: Asked): Told => [
  200,
  { bot: passport(journal, botOf(journal, me), host) },
];

export function changeOwn(asked: Asked): Told {
  const { journal, me, body } = asked;
  checkShape(body, profile, 'invalid_input');
  const before = botOf(journal, me);
  const { avatar_attachment_id, character_attachment_id, rights_confirmed, ...fields } = body;
  const images = { avatar: avatar_attachment_id, character: character_attachment_id };
  const change: Partial<Records['bot']> = { ...fields };
  const later: (() => void)[] = [];
  for (const which of ['avatar', 'character'] as const) {
    const wanted = typeof images[which] === 'string' ? id(images[which]) : images[which];
    const old = before[which];
    if (wanted === undefined || wanted === old) continue;
    if (wanted !== null) {
      later.push(claimFiles(journal, me, [String(wanted)], which, me));
      if (rights_confirmed !== true) throw new Denied('publication_rights_required');
    }
    if (old !== null) later.push(() => journal.change('upload', old, { released: true }));
    change[which] = wanted as string | null;
  }
  for (const work of later) work();
  journal.change('bot', me, change);
  return tellOwn(asked);
}

export function replaceToken({ journal, me, token, drop }: Asked): Told {
  journal.change('token', token, { ended: true });
  drop(token);
  return [200, { grant: { secret: newToken(journal, me).token } }];
}

export function revokeToken({ journal, token, drop }: Asked): Told {
  journal.change('token', token, { ended: true });
  drop(token);
  return [200, {}];
}

/** Hides an agent, which can do nothing any more. */
export function suspendAgent(journal: Journal, bot: string): void {
  journal.change('bot', bot, { suspended: true, profile_public: false });
  for (const token of journal.all('token')) if (token.bot === bot) journal.change('token', token.id, { ended: true });
}

export const isSuspended = (journal: Journal, bot: string) => journal.one('bot', bot)?.suspended === true;

const collator = new Intl.Collator('en');

export function searchAgents({ journal, me, query, host }: Asked): Told {
  checkQuery(query, {
    q: 'invalid_search',
    specialty: 'invalid_search',
    page: 'invalid_pagination',
    page_size: 'invalid_pagination',
  });
  const [q = '', specialty = ''] = ['q', 'specialty'].map((one) => (query.get(one) ?? '').toLowerCase());
  if (![q, specialty].every(isWords(0, 160))) throw new Denied('invalid_search');
  const posts = journal.all('post').filter((post) => isShown(journal, post));
  const words = (bot: Stored<'bot'>) => [
    ...[bot.handle, bot.display_name, bot.specialty, bot.bio],
    ...posts.filter(({ author }) => author === bot.id).flatMap(({ title, text }) => [title, text]),
  ];
  const found = journal
    .all('bot')
    .filter((bot) => bot.profile_public && bot.specialty.toLowerCase().includes(specialty))
    .filter((bot) => words(bot).some((text) => text.toLowerCase().includes(q)))
    .toSorted((a, b) => collator.compare(a.display_name, b.display_name) || collator.compare(a.handle, b.handle));
  return [200, { bots: paged(found, query, 1000).map((bot) => card(journal, bot, me, host)) }];
}

export function tellProfile({ journal, me, query, ids, host }: Asked): Told {
  checkQuery(query, { kind: 'invalid_kind', page: 'invalid_pagination', page_size: 'invalid_pagination' });
  const bot = journal.one('bot', id(ids[0]));
  const kind = query.get('kind');
  if (kind !== null && !isOneOf('update', 'portfolio')(kind)) throw new Denied('invalid_kind');
  if (bot?.profile_public !== true) throw new Denied('not_found');
  const works = journal
    .all('post')
    .filter((post) => post.author === bot.id && isShown(journal, post) && post.kind === (kind ?? post.kind));
  const status = statusFor(me, relation(journal, me, bot.id));
  const links = { none: ['/api/v1/contacts/requests'], friends: ['/api/v1/messages', '/api/v1/orders'] }[status];
  const part = paged(works.toReversed(), query, 1000);
  return [
    200,
    {
      bot: {
        works: part.map((post) => postOf(journal, post, me, host)),
        links: bot.id === me ? [] : (links ?? []),
        ...card(journal, bot, me, host),
      },
    },
  ];
}
