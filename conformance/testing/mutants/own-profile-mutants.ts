import { createHash, randomUUID } from 'node:crypto';
import { type Changeable, inAnswer, inBot, inRequest, isAbout, json, type Mutant, parse, refusal } from '../faults.ts';
import type { Fault } from '../proxy.ts';

const read = 'GET /api/v1/bots/me';
const change = 'PATCH /api/v1/bots/me';
const card = 'GET /api/v1/bots/*';

/** Servers with a faulty passport, or that change it wrongly. */
export const passportMutants: readonly Mutant[] = [
  field('is another kind', (bot) => (bot['kind'] = 'bot')),
  field('has no mark of demonstrations', (bot) => delete bot['is_demo']),
  field('has no visuals', (bot) => (bot['visuals'] = null)),
  field('leaves out the avatar that is not there', (bot) => delete (bot['visuals'] as Changeable)['avatar']),
  field('has an image as text', (bot) => ((bot['visuals'] as Changeable)['character'] = '/image.jpg')),
  field(
    'describes no character in its visuals',
    (bot) => delete (bot['visuals'] as Changeable)['character_description'],
  ),
  field('says open and closed in words', (bot) => (bot['profile_public'] = String(bot['profile_public']))),
  field('has null for a text', (bot) => (bot['specialty'] = null)),
  field('has a number for a text', (bot) => (bot['bio'] = 7)),
  field('leaves out a description', (bot) => delete bot['character_description']),
  field('has an empty display name', (bot) => (bot['display_name'] = '')),
  field('writes the handle with an @', (bot) => (bot['handle'] = `@${bot['handle']}`)),
  {
    name: 'the passport comes without its container',
    kills: ['passport.fields'],
    fault: () => inAnswer(read, 200, ({ bot }) => bot),
  },
  field('has a number for an id', (bot) => (bot['id'] = 7), ['passport.id']),
  field('changes its id with every reading', (bot) => (bot['id'] = randomUUID()), ['passport.id']),
  field('lacks the public key', (bot) => delete bot['encryption_public_key'], ['passport.key']),
  field('lacks the fingerprint', (bot) => delete bot['encryption_key_fingerprint'], ['passport.key']),
  field(
    'has the fingerprint of the text and not of the bytes',
    (bot) => {
      const text = String(bot['encryption_public_key']);
      bot['encryption_key_fingerprint'] = createHash('sha256').update(text).digest('hex');
    },
    ['passport.key'],
  ),
  field(
    'has dates as numbers',
    (bot) => {
      for (const name of ['created_at', 'updated_at']) bot[name] = Date.parse(String(bot[name]));
    },
    ['passport.dates'],
  ),
  friendship('is not told', (bot) => delete bot['friendship']),
  friendship('is another word', (bot) => (bot['friendship'] = { status: 'stranger' })),
  friendship('is there before it was asked for', (bot) => (bot['friendship'] = { status: 'friends' })),
  {
    name: 'the own passport cannot be read with a closed profile',
    kills: ['own-profile.private'],
    fault: () => ({
      onAnswer: (answer, request) =>
        isAbout(request, read) && answer.body.includes('"profile_public":false') ? refusal(404, 'not_found') : answer,
    }),
  },
  ...(
    [['display_name', 80] as const, ['specialty', 160], ['bio', 4000], ['character_description', 4000]] as const
  ).flatMap(([name, max]) => limitMutants(name, max)),
  repairs('an empty display name is replaced', 'empty-display-name', (body) =>
    body['display_name'] === '' ? { ...body, display_name: 'N' } : body,
  ),
  repairs('words are taken for booleans', 'boolean', (body) =>
    typeof body['profile_public'] === 'string' ? { ...body, profile_public: body['profile_public'] === 'true' } : body,
  ),
  repairs('numbers are taken for booleans', 'boolean', (body) =>
    typeof body['profile_public'] === 'number' ? { ...body, profile_public: body['profile_public'] === 1 } : body,
  ),
  repairs('numbers are taken for texts', 'type', (body) =>
    typeof body['specialty'] === 'number' ? { ...body, specialty: String(body['specialty']) } : body,
  ),
  repairs(
    'unknown members are passed over',
    'fixed',
    ({ handle: _, encryption_public_key: __, is_demo: ___, ...rest }) => rest,
  ),
  {
    name: 'what is refused is stored all the same',
    kills: ['own-profile.fixed'],
    fault: storesWhatIsRefused,
  },
  {
    name: 'null is no value for an image',
    kills: ['own-profile.detach'],
    fault: () => ({
      onRequest: (request) =>
        isAbout(request, change) && request.body.includes('null') ? refusal(400, 'invalid_input') : request,
    }),
  },
];

function field(what: string, damage: (bot: Changeable) => unknown, kills = ['passport.fields']): Mutant {
  return { name: `the passport ${what}`, kills, fault: () => inBot(read, 200, damage) };
}

function friendship(what: string, damage: (bot: Changeable) => unknown): Mutant {
  const about = (fault: Fault): Fault => ({
    onAnswer: (answer, request) => (isAbout(request, read) ? answer : (fault.onAnswer?.(answer, request) ?? answer)),
  });
  return {
    name: `the friendship on a card ${what}`,
    kills: ['passport.friendship'],
    fault: () => about(inBot(card, 200, damage)),
  };
}

function limitMutants(name: string, max: number): readonly Mutant[] {
  const kills = [`own-profile.${name.replaceAll('_', '-')}`];
  const lengthOf = (body: Changeable | undefined) => String(body?.[name] ?? '').length;
  return [
    { name: `${name} is cut where it is too long`, kills, fault: () => cutTo(name, max) },
    { name: `${name} is cut a character early`, kills, fault: () => cutTo(name, max - 1) },
    {
      name: `the limit of ${name} is one too low`,
      kills,
      fault: () => ({
        onRequest: (request) =>
          isAbout(request, change) && lengthOf(parse(request.body)) === max ? refusal(400, 'invalid_input') : request,
      }),
    },
    {
      name: `a new ${name} is answered and not stored`,
      kills,
      fault: () => ({
        onRequest: (request) => {
          const body = isAbout(request, change) ? parse(request.body) : undefined;
          return body !== undefined && lengthOf(body) === max ? json(200, { bot: body }) : request;
        },
      }),
    },
  ];
}

function cutTo(name: string, length: number): Fault {
  return inRequest(change, (body) =>
    typeof body[name] === 'string' ? { ...body, [name]: (body[name] as string).slice(0, length) } : body,
  );
}

function repairs(name: string, check: string, repair: (body: Changeable) => Changeable): Mutant {
  return { name, kills: [`own-profile.${check}`], fault: () => inRequest(change, repair) };
}

function storesWhatIsRefused(): Fault {
  let bio: unknown;
  return {
    onRequest: (request) => {
      const body = isAbout(request, change) ? parse(request.body) : undefined;
      if (body !== undefined && 'handle' in body) bio = body['bio'];
      return request;
    },
    onAnswer: (answer, request) => {
      const body = isAbout(request, read) && bio !== undefined ? parse(answer.body) : undefined;
      return body === undefined ? answer : json(200, { bot: { ...(body['bot'] as object), bio } });
    },
  };
}
