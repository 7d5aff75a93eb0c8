import { randomUUID } from 'node:crypto';
import { parseFaults } from '../fault-language.ts';
import {
  changeRequests,
  changeSelectedReplies,
  codeIn,
  combineFaults,
  idIn,
  isAbout,
  jsonReply,
  type MutableObject,
  parseJsonObject,
  refusal,
  tokenOf,
} from '../faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../passing.ts';

const me = 'PATCH /api/v1/bots/me';

export const publicVariants = parseFaults(
  'choice',
  `
distinguish upper and lower case | search-case | GET /bots* path:'bots[?](.*&)?q=[^a-z&]*[A-Z][^a-z&]*(&|$)' <- 200 {"agents":[]}
search portfolio works alone | search-updates | = searchesWorks
compare whole specialties | search-specialty | = comparesSpecialties
put agents elsewhere | search-container | * /bots* -> members bots=agents
rename action links | card-links | * /bots/* -> members links=actions
put works elsewhere | card-works | * /bots/* -> members works=published
give a title to posts without one | post-defaults | POST /posts sent:'"text"' sent:'^[^]{0,60000}$' <- default title "Untitled"
rename the author of a post | post-members | * /posts* -> members author=by
name the files of a new post by their ids |  | POST /posts 201 -> map post withIdsOfFiles
answer an empty object to a deletion | post-deletion | DELETE /posts/* 200 -> 200 {}
change nothing of a post but its visibility | post-changes | PATCH /posts/* sent:'^(?!.*"visibility":)' <- 400 invalid_field
have one code for all rights | post-rights | * rights_required -> code publication_rights_required
call a closed profile a conflict | post-under-closed | * /posts* invalid_visibility sent:'"visibility":"public"' -> 409 state_conflict
rename the type of a file | file-members | * /attachments* -> members media_type=type
name their host in addresses | file-urls | * -> replace '"(preview|download)_url":"/' '"$1_url":"https://files.example/'
call a used id unavailable | upload-id-again | POST /attachments idempotency_conflict -> 409 upload_unavailable
call a large file invalid | file-too-large | POST /attachments 413 -> 400 invalid_file
call one field too many unknown | upload-fields | POST /attachments sent:'name="note"' 400 -> 400 unknown_fields
take a JPEG without its end | truncated-file | = takesTruncated
require a token where a file is not public | file-for-nobody | = requiresTokens
have previews of half the size | preview-size | = halvedPreviews
tell everybody the names of works | file-name | GET /attachments/* 200 has:'"purpose":"portfolio"' -> default attachment.filename "photo.jpg"
take a detached image back | image-again | = takesBack
send no file headers to browsers | file-headers | * -> no-header content-disposition
`,
  {
    withIdsOfFiles: ({ attachments, ...post }: MutableObject) => ({
      ...post,
      attachment_ids: (attachments as readonly MutableObject[]).map(({ id }) => id),
    }),
  },
  {
    takesTruncated: changeRequests(
      (sent) => isAbout(sent, 'POST /api/v1/attachments') && isTruncated(sent),
      () =>
        jsonReply(201, {
          attachment: {
            id: randomUUID(),
            purpose: 'portfolio',
            preview_url: null,
            download_url: null,
            available: true,
          },
        }),
    ),
    halvedPreviews: changeSelectedReplies(
      ({ status }, { path }) => path.endsWith('/preview') && status === 200,
      (passing) => ({ ...passing, body: halved(passing.body) }),
    ),
    searchesWorks,
    comparesSpecialties,
    requiresTokens,
    takesBack,
  },
);

/** Calls `learn` with the bodies of these requests and forwards them unchanged. */
function learns(about: string, learn: (body: MutableObject) => unknown): Fault {
  return changeRequests(
    (sent) => isAbout(sent, about),
    (sent) => {
      learn(parseJsonObject(sent.body) ?? {});
      return sent;
    },
  );
}

function takesBack(): Fault {
  let last: ProxiedReply | undefined;
  return {
    onReply: (reply, sent) => {
      if (!isAbout(sent, 'PATCH /api/v1/bots/me')) return reply;
      if (reply.status === 200) last = reply;
      return codeIn(reply) === 'attachment_already_bound' ? (last ?? reply) : reply;
    },
  };
}

function searchesWorks(): Fault {
  const updates = new Set<unknown>();
  return combineFaults([
    learns('POST /api/v1/posts', (body) => body['kind'] !== 'portfolio' && updates.add(body['text'])),
    findsNothing((query) => updates.has(query.get('q'))),
  ]);
}

function comparesSpecialties(): Fault {
  const specialties = new Set<unknown>([null, '']);
  return combineFaults([
    learns(me, (body) => specialties.add(body['specialty'])),
    findsNothing((query) => (query.get('specialty')?.length ?? 0) < 160 && !specialties.has(query.get('specialty'))),
  ]);
}

function findsNothing(isMeant: (query: URLSearchParams) => boolean): Fault {
  return changeRequests(
    (sent) => {
      const [path, search = ''] = sent.path.split('?');
      return sent.method === 'GET' && path === '/api/v1/bots' && isMeant(new URLSearchParams(search));
    },
    () => jsonReply(200, { agents: [] }),
  );
}

function isTruncated({ body }: ProxiedRequest): boolean {
  const bytes = Buffer.from(body.slice(0, 65_536), 'latin1');
  const isJpeg = bytes.includes(Buffer.from('ffd8ff', 'hex'));
  return isJpeg && !bytes.includes(Buffer.from('ffd9', 'hex'));
}

function requiresTokens(): Fault {
  const shown = new Set<string>();
  let isClosed = false;
  return {
    onReply: (passing, sent) => {
      if (isAbout(sent, me) && passing.status === 200)
        isClosed = parseJsonObject(sent.body)?.['profile_public'] === false;
      if (!sent.path.startsWith('/api/v1/attachments') || tokenOf(sent) !== undefined) return passing;
      const id = idIn(sent.path);
      if (passing.status === 200) shown.add(id);
      // The specification requires 404 for a file that was public before its profile was closed.
      const isHidden = isClosed && shown.has(id);
      return passing.status === 404 && !isHidden ? refusal(401, 'unauthorized') : passing;
    },
  };
}

// The frame header of a picture contains its height and width, two bytes each.
function halved(body: string): string {
  const bytes = Buffer.from(body, 'latin1');
  const heads = ['ffc0001108', 'ffc2001108'].map((head) => bytes.indexOf(head, 0, 'hex'));
  const at = Math.max(...heads);
  if (at < 0) return body;
  for (const size of [at + 5, at + 7]) bytes.writeUInt16BE(Math.ceil(bytes.readUInt16BE(size) / 2), size);
  return bytes.toString('latin1');
}
