import { parseFaults } from '../fault-language.ts';
import { changeSelectedReplies, type MutableObject, parseJsonObject, withJson } from '../faults.ts';
import { dropAndAcknowledge } from '../frame-faults.ts';
import type { Fault, ProxiedReply } from '../passing.ts';
import { smallestJpeg } from '../servers/formats/jpeg.ts';

const ackDelayMs = 30;
const chunkLength = 700;
const seen = ['customer', 'contractor'].flatMap((role) => [`order.${role}`, `orders[].${role}`]);
const versions = ['order.version', 'orders[].version', 'events[].version'];
const statuses = ['self_contact', 'contact_blocked', 'recipient_required', 'key_changed', 'refund_not_proposed'];

/** Correct servers whose answers contain only what is required, in unusual formats; the last row must stay last. */
export const minimalVariants = parseFaults(
  'choice',
  `
write ids in capitals | ids | = capitalIds
give no members but the stated ones | search-container card-works post-members file-members contact-members message-members message-containers order-list-names | = statedMembers
name participants by their ids alone | order-names | ${seen.map((member) => `* /orders* -> map ${member} idOf`).join(' & ')}
give the newest entry of a history first |  | GET /orders/* 200 -> reverse events
count versions from 0 |  | ${versions.map((member) => `* /orders* -> map ${member} less`).join(' & ')} & POST /orders/* path:'/orders/.+/' <- map expected_version more & event order.changed -> map payload.version less
write times in whole seconds of another zone | timestamps | = otherZone
write fingerprints in base64 | passport-names | = base64Fingerprints
give a list of paths as links | card-links | GET /bots/* 200 -> map bot.links paths
give pages of three contacts and two messages |  | GET /contacts* 200 -> map next_before third & GET /contacts* 200 -> map contacts firstThree & GET /messages* 200 -> map messages firstTwo & GET /messages* 200 -> drop next_before
have one status for what a caller may not do | contact-statuses other-keys | ${statuses.map((code) => `* ${code} -> 403`).join(' & ')}
find no message that has expired |  | * message_expired -> 404
say no more than a code in early layers |  | * 401 -> drop error.message & * 405 -> drop error.message & * 415 -> drop error.message
have a proxy in front that refuses large bodies | file-too-large | * 413 -> body '<h1>Request Entity Too Large</h1>' & * 413 -> header content-type text/html
redirect a path with a slash at its end | slash | * path:'[^/]/$' <- 308 - & * path:'[^/]/$' -> header location /
have the smallest previews | preview-size | = smallestPreviews
say nothing in the event of a message | message-event | event message.created -> set payload {}
send no event of a block | contact-events | = noBlocks
answer acks late |  | = ackedLate
give no date |  | * -> no-header date
write indented JSON in another order, in chunks |  | = chunked
`,
  {
    idOf: ({ id }: MutableObject) => id,
    less: (version: number) => version - 1,
    more: (version: unknown) => (typeof version === 'number' ? version + 1 : version),
    paths: (links: unknown) => JSON.stringify(links).match(/\/api\/v1[^"]*/g) ?? [],
    third: (last: unknown, { contacts }: MutableObject) =>
      (contacts as readonly MutableObject[])[2]?.['contact_id'] ?? last,
    firstThree: (contacts: readonly unknown[]) => contacts.slice(0, 3),
    firstTwo: (messages: readonly unknown[]) => messages.slice(0, 2),
  },
  {
    capitalIds: {
      ...inText((text) => text.replaceAll(uuids(), (id) => id.toUpperCase())),
      frames: {
        onEvent: (frame) => [frame.replaceAll(uuids(), (id) => id.toUpperCase())],
        onAck: (frame) => [frame.replaceAll(uuids(), (id) => id.toLowerCase())],
      },
    },
    otherZone: inText((text) => text.replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, inOtherZone)),
    base64Fingerprints: inText((text) =>
      text.replaceAll(/(?<="encryption_key_fingerprint":")[0-9a-f]{64}/g, (hex) =>
        Buffer.from(hex, 'hex').toString('base64'),
      ),
    ),
    smallestPreviews: changeSelectedReplies(
      ({ status }, { path }) => path.endsWith('/preview') && status === 200,
      (passing) => ({ ...passing, body: smallestJpeg.toString('latin1') }),
    ),
    noBlocks: () => ({ frames: dropAndAcknowledge(({ kind }) => kind === 'contact.blocked') }),
    ackedLate: {
      frames: {
        onEvent: (frame, link) => {
          if (parseJsonObject(frame)?.['type'] !== 'acked') return [frame];
          setTimeout(() => link.toClient(frame), ackDelayMs);
          return [];
        },
      },
    },
    statedMembers,
    chunked,
  },
);

function inText(change: (text: string) => string): Fault {
  return changeSelectedReplies(
    ({ body }) => parseJsonObject(body) !== undefined,
    (passing) => ({ ...passing, body: change(passing.body) }),
  );
}

function uuids(): RegExp {
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
}

function inOtherZone(quoted: string): string {
  const time = new Date(Date.parse(quoted.slice(1, -1)) + 3_600_000);
  return `"${time.toISOString().replace(/[.]\d+Z$/, '+01:00')}"`;
}

/** Changes the members of every object inside a value, at any depth. */
function everywhere(
  value: unknown,
  change: (members: readonly (readonly [string, unknown])[]) => typeof members,
): unknown {
  if (Array.isArray(value)) return value.map((each) => everywhere(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(change(Object.entries(value)).map(([name, each]) => [name, everywhere(each, change)]));
}

const unstated = new Set([
  ...['updated_at', 'expires_at', 'author', 'author_id', 'sender_id', 'peer', 'page', 'page_size', 'next_page'],
  ...['refund_proposal', 'media_type', 'size_bytes', 'width', 'height', 'page_count', 'filename', 'sha256'],
]);

function statedMembers(): Fault {
  return {
    onReply: (passing, { path }) => {
      const isDated = /^.api.v1.(bots|orders|wallet)/.test(path);
      const isStated = (name: string) => !unstated.has(name) && (isDated || name !== 'created_at');
      return withJson(passing, (body) => everywhere(body, (members) => members.filter(([name]) => isStated(name))));
    },
  };
}

function chunked(): Fault {
  const turned = (text: string) => {
    const value = parseJsonObject(text);
    return value === undefined
      ? text
      : JSON.stringify(
          everywhere(value, (members) => members.toReversed()),
          null,
          4,
        );
  };
  return {
    onReply: (passing, { method }) => {
      if (method === 'HEAD' || parseJsonObject(passing.body) === undefined) return passing;
      return { ...passing, raw: inChunks(passing, `${turned(passing.body)}\n`) };
    },
    frames: { onEvent: (frame) => [turned(frame)] },
  };
}

function inChunks({ status, headers }: ProxiedReply, text: string): string {
  const fields = { ...headers, 'transfer-encoding': 'chunked', connection: 'close' };
  const characters = [...text];
  const chunks = Array.from({ length: Math.ceil(characters.length / chunkLength) }, (_, at) =>
    characters.slice(at * chunkLength, (at + 1) * chunkLength).join(''),
  );
  return [
    `HTTP/1.1 ${status} Answered`,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    '',
    ...chunks.flatMap((chunk) => [Buffer.byteLength(chunk).toString(16), chunk]),
    ...['0', '', ''],
  ].join('\r\n');
}
