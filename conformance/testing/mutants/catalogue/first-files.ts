import { createHash } from 'node:crypto';
import { type HandledRequest, runSqlAroundRequests, sqlId, withTemporaryRows } from '../../around-requests.ts';
import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { idIn, isAbout, type MutableObject, refusal, tokenOf, withJson } from '../../faults.ts';
import { withTrigger } from '../../faulty-build.ts';
import { partsOf } from '../../forms.ts';
import { objectIn, pathBelowApi, textIn } from '../../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';

const table = `
previews the original to its owner | preview: always processed, also for the owner | = previewsOriginals
previews the original to everybody | preview: processed JPEG | = previewsToAll
declares previews as PNG | preview: processed JPEG | GET path:'/preview$' 200 -> header content-type image/png
downloads originals to strangers | others only the permitted processed version | = downloadsToAll
downloads the original of an avatar | avatars describe the processed JPEG; others only the processed version | = downloadsAvatars
shows the name of an avatar to its owner | metadata of avatars: not the original name | = namesAvatars
shows the hash of an avatar | metadata of avatars: not the original hash | = hashesAvatars
describes an avatar as PNG | metadata of avatars describe the processed JPEG | * has:'"purpose":"avatar"' -> replace '"media_type":"image/jpeg"' '"media_type":"image/png"'
serves a preview once | GET preview: works as long as rights apply | = servesOnce
serves a download to its owner once | GET download: owner may receive the original | = downloadsOnce
refuses HEAD of a download | GET, HEAD download | HEAD path:'/download$' <- 405 method_not_allowed
refuses HEAD of a record | GET, HEAD of the attachment record | HEAD path:'/attachments/[0-9a-f-]+$' <- 405 method_not_allowed
confirms private files to HEAD | HEAD: rights still apply | HEAD /attachments/* 404 -> 200
takes a wrong bearer of HEAD | a wrong bearer gives 401 | HEAD /attachments/* 401 -> 200
wants a token for public <preview download> | Public files may be read without a token | GET path:'/<>$' anonymous <- 401 unauthorized
wants a token for the records of public files | Public files may be read without a token | GET path:'/attachments/[0-9a-f-]+$' anonymous <- 401 unauthorized
wants a token for HEAD of public files | Public files may be read without a token | HEAD /attachments/* anonymous <- 401 unauthorized
shows order files to friends | others get 404 | = showsOrderFiles
shows private works to friends | private post: its files are not accessible | = showsPrivateWorks
shows order files of agents with a public profile | visibility does not open order files | = opensOrderFiles
hides order files from the other participant | owner or a participant of the related order | = hidesOrderFiles
answers a private file with 403 | 404 not_found: absent or not accessible | * /attachments/* token 404 -> 403 forbidden
answers a private file without a token with 401 | 404 not_found: absent or not accessible | GET /attachments/* anonymous 404 -> 401 unauthorized
shows the original of an order file as its preview | preview: always processed | = previewsOrders
shows the avatar of a closed profile | Back to false hides related public images; 404 | = opensImages
shows the character image of a closed profile | Back to false hides related public images; 404 | = opensCharacters
shows the works of a closed profile | Back to false hides the works and their files; 404 | = opensWorks
shows the files of a post that is private again | private post: its files are not public | = opensPrivate
shows the files of a deleted post | Post deleted: its files lose public access | = opensDeleted
shows a detached character image | null detaches | before update on attachments | if new.bound_kind = 'profile' and new.purpose = 'character' then new.detached_at := null; end if; return new;
shows a detached image | null detaches | before update on attachments | if new.bound_kind = 'profile' then new.detached_at := null; end if; return new;
publishes an avatar that is not bound | Public reading of permitted public files | = opensUnbound
says that a public file is not available | available: false after the bytes are removed | GET /attachments/* anonymous 200 has:'"purpose"' -> set attachment.available false
keeps the first record of a file | available is false after removal; rights still apply | GET path:'/attachments/[0-9a-f-]+$' token -> as-first-seen
shows removed files with their paths | after removal the URLs are null | * has:'"available":false' -> replace '"(preview|download)_url":null' '"$1_url":"/api/v1/attachments/removed/$1"'
shows removed files as available | after removal available is false | * has:'"available":false' -> replace '"available":false' '"available":true'
`;

const isUpload = (sent: ProxiedRequest) => isAbout(sent, 'POST /api/v1/attachments');
const isContent = (sent: ProxiedRequest, name: string) =>
  sent.method === 'GET' && pathBelowApi(sent).startsWith('/attachments/') && pathBelowApi(sent).endsWith(name);
const isRecord = (sent: ProxiedRequest) => sent.method === 'GET' && /^\/attachments\/[^/]+$/.test(pathBelowApi(sent));
const idOf = (sent: ProxiedRequest) => idIn(pathBelowApi(sent));

interface Original {
  readonly bytes: string;
  readonly name: string;
  readonly type: string;
  readonly purpose: string;
  readonly token: string | undefined;
}

/** Changes the answers about a file, with access to the original that was uploaded. */
function withOriginals(
  become: (reply: ProxiedReply, sent: ProxiedRequest, original: Original, isOwn: boolean) => ProxiedReply,
): () => Fault {
  return () => {
    const originals = new Map<string, Original>();
    return {
      onReply: (reply, sent) => {
        const id = textIn(objectIn(reply, 'attachment'), 'id');
        if (isUpload(sent) && id !== '' && !originals.has(id)) originals.set(id, originalOf(reply, sent));
        const original = originals.get(isUpload(sent) ? id : idOf(sent));
        return original === undefined ? reply : become(reply, sent, original, tokenOf(sent) === original.token);
      },
    };
  };
}

function originalOf(reply: ProxiedReply, sent: ProxiedRequest): Original {
  const file = partsOf(sent).find(({ name }) => name === 'file');
  const bytes = file?.content ?? '';
  return {
    bytes,
    name: /filename="([^"]*)"/.exec(file?.head ?? '')?.[1] ?? '',
    type: bytes.startsWith('\x89PNG') ? 'image/png' : 'image/jpeg',
    purpose: textIn(objectIn(reply, 'attachment'), 'purpose'),
    token: tokenOf(sent),
  };
}

/** Sends the original of a picture instead of the processed version. */
function sends(isMeant: (sent: ProxiedRequest, original: Original, isOwn: boolean) => boolean): () => Fault {
  return withOriginals((reply, sent, original, isOwn) => {
    const isPicture = !original.bytes.startsWith('%PDF');
    if (!isPicture || reply.status !== 200 || !isMeant(sent, original, isOwn)) return reply;
    return { ...reply, headers: { ...reply.headers, 'content-type': original.type }, body: original.bytes };
  });
}

/** Adds members to the records of avatars and character images. */
function describes(member: (original: Original) => MutableObject): () => Fault {
  return withOriginals((reply, _, original) => {
    const file = objectIn(reply, 'attachment');
    if (file === undefined || !/avatar|character/.test(original.purpose)) return reply;
    return withJson(reply, (body) => ({ ...body, attachment: { ...file, ...member(original) } }));
  });
}

/** Serves each file to an agent only once; later reads return 404. */
function serves(name: string): () => Fault {
  return () => {
    const served = new Set<string>();
    return {
      onReply: (reply, sent) => {
        if (!isContent(sent, name) || reply.status !== 200) return reply;
        const key = `${tokenOf(sent)} ${sent.path}`;
        if (served.has(key)) return refusal(404, 'not_found');
        served.add(key);
        return reply;
      },
    };
  };
}

const whileFiles = (lend: (request: HandledRequest) => string, restore: string) =>
  withTemporaryRows('* /api/v1/attachments/*', lend, restore);

const bound = ({ pathId }: HandledRequest, kind: string) =>
  `(select bound_id from attachments where id = ${pathId} and bound_kind = '${kind}')`;

/** Shows the images of closed profiles that were uploaded for this purpose. */
const opensImages = (purpose: 'avatar' | 'character') =>
  whileFiles(
    (request) => `
      update bots set profile_public = true
      where not profile_public and id = ${bound(request, 'profile')}
        and exists (select from attachments where id = ${request.pathId} and purpose = '${purpose}')`,
    'update bots set profile_public = false',
  );

/** Allows other agents to read the files that meet an SQL condition. */
function lends(condition: (callerId: string) => string) {
  return runSqlAroundRequests('GET /api/v1/attachments/*', {
    before: ({ pathId, callerId }) =>
      callerId !== sqlId('')
        ? `update attachments set owner_id = ${callerId} from (
            select id, owner_id as owner from attachments where id = ${pathId} and ${condition(callerId)}) lent
          where attachments.id = lent.id returning lent.id, lent.owner`
        : undefined,
    after: (_, [row]) =>
      row === undefined
        ? undefined
        : `update attachments set owner_id = ${sqlId(row['owner'])} where id = ${sqlId(row['id'])}`,
  });
}

/** Allows the owner's friends to read files with this purpose. */
const lendsToFriends = (purpose: string) =>
  lends(
    (callerId) => `purpose = '${purpose}' and exists (
      select from contacts where state = 'friends' and first_id = least(owner_id, ${callerId})
      and second_id = greatest(owner_id, ${callerId}))`,
  );

export default parseCatalogueTable(table, {
  faults: {
    previewsOriginals: sends((sent, _, isOwn) => isOwn && isContent(sent, '/preview')),
    previewsOrders: sends((sent, { purpose }) => purpose === 'order' && isContent(sent, '/preview')),
    previewsToAll: sends((sent, _, isOwn) => !isOwn && isContent(sent, '/preview')),
    downloadsToAll: sends((sent, _, isOwn) => !isOwn && isContent(sent, '/download')),
    downloadsAvatars: sends((sent, { purpose }) => /avatar|character/.test(purpose) && isContent(sent, '/download')),
    namesAvatars: describes(({ name }) => ({ filename: name })),
    hashesAvatars: describes(({ bytes }) => ({
      sha256: createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex'),
    })),
    servesOnce: serves('/preview'),
    downloadsOnce: serves('/download'),
    hidesOrderFiles: withOriginals((reply, sent, { purpose }, isOwn) =>
      purpose === 'order' && !isOwn && (isRecord(sent) || isContent(sent, 'load') || isContent(sent, 'view'))
        ? refusal(404, 'not_found')
        : reply,
    ),
  },
  builds: {
    showsOrderFiles: lendsToFriends('order'),
    opensOrderFiles: lends(
      () => `purpose = 'order' and exists (select from bots where bots.id = owner_id and profile_public)`,
    ),
    showsPrivateWorks: lendsToFriends('portfolio'),
    opensImages: opensImages('avatar'),
    opensCharacters: opensImages('character'),
    opensWorks: whileFiles(
      (request) => `
        update bots set profile_public = true where not profile_public and id = (
          select author_id from posts where id = ${bound(request, 'post')} and visibility = 'public' and deleted_at is null)`,
      'update bots set profile_public = false',
    ),
    opensPrivate: whileFiles(
      (request) => `
        update posts set visibility = 'public'
        where visibility = 'private' and was_public and deleted_at is null and id = ${bound(request, 'post')}`,
      `update posts set visibility = 'private'`,
    ),
    opensDeleted: {
      ...withTrigger(
        'attachments',
        'before update',
        `if new.bound_kind = 'post' then new.detached_at := null; end if; return new;`,
      ),
      ...whileFiles(
        (request) =>
          `update posts set deleted_at = null where deleted_at is not null and id = ${bound(request, 'post')}`,
        'update posts set deleted_at = now()',
      ),
    },
    opensUnbound: whileFiles(
      ({ pathId }) =>
        `update attachments set bound_kind = 'profile', bound_id = owner_id where id = ${pathId} and bound_id is null and purpose = 'avatar'`,
      'update attachments set bound_kind = null, bound_id = null',
    ),
  },
});
