import { parseCatalogueTable } from '../../catalogue-mutants.ts';
import { isAbout, type MutableObject, withJson } from '../../faults.ts';
import { pathBelowApi } from '../../memories.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from '../../passing.ts';

const table = `
declares refused uploads as text | JSON bodies use Content-Type application/json | POST /attachments refused -> header content-type text/plain
declares a new contact as HTML | JSON bodies use Content-Type application/json | POST /contacts/requests 201 -> header content-type text/html
writes the error of an unknown contact as a text | Errors: {error: {code, message}} | POST /contacts/* 404 -> 404 {"error":"not_found"}
writes the error of an unknown post without its envelope | Errors: {error: {code, message}} | GET /posts/* 404 -> unwrap error
answers malformed JSON of a contact with 422 | Errors: 400 malformed request | POST /contacts/requests malformed 400 -> 422
redirects cards to a path with a slash | HTTP paths have no trailing slash | = redirectsCards
shows ids of posts without hyphens | Identifiers are UUID strings | = compactPosts
numbers the contacts | Identifiers are UUID strings | = numbersContacts
refuses bodies from 60,000 characters | Ordinary JSON request body up to 64 KiB | POST /posts longer:'60000' <- 413 body_too_large
does not count white space of a body | Ordinary JSON request body up to 64 KiB | = skipsSpace
takes JSON that is declared as text | JSON bodies use Content-Type application/json; 415 | * type:'^text/plain' <- header content-type application/json
takes JSON that is declared as a form | JSON bodies use Content-Type application/json; 415 | * type:'urlencoded' <- header content-type application/json
changes a post by PUT | only the described operations exist; 405 | = putsPosts
changes the own profile by POST | only the described operations exist; 405 | = postsProfiles
deletes a contact | There is no unblock and no decline operation; 405 | DELETE path:'/contacts/[0-9a-f-]+$' <- 200 {"deleted":true}
has an operation to <unblock decline> a contact | There is no unblock and no decline operation | POST path:'/contacts/[^/]+/<>$' <- 200 {"contact":{}}
`;

/** Also accepts another HTTP method for an operation. */
function alsoAs(method: string, pattern: RegExp, own: string): Fault {
  return {
    onRequest: (request) =>
      request.method === method && pattern.test(pathBelowApi(request)) ? { ...request, method: own } : request,
  };
}

const hyphens = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

function compactId(post: unknown): unknown {
  const { id } = post as MutableObject;
  return { ...(post as MutableObject), id: String(id).replaceAll('-', '') };
}

/** Uses post ids without hyphens, in answers and in paths. */
const compactPosts: Fault = {
  onRequest: (request) => {
    const path = request.path.replace(/(?<=\/posts\/)[0-9a-f]{32}/, (id) => id.replace(hyphens, '$1-$2-$3-$4-$5'));
    return { ...request, path };
  },
  onReply: (reply, request) =>
    isAbout(request, '* /api/v1/posts*')
      ? withJson(reply, ({ post, posts, ...others }) => ({
          ...others,
          ...(post === undefined ? {} : { post: compactId(post) }),
          ...(Array.isArray(posts) ? { posts: posts.map(compactId) } : {}),
        }))
      : reply,
};

/** Uses numeric contact ids, in answers and in paths. */
function numbersContacts(): Fault {
  const ids: string[] = [];
  const numberOf = (id: string) => {
    if (!ids.includes(id)) ids.push(id);
    return String(ids.indexOf(id) + 1);
  };
  const idOf = (number: string) => ids[Number(number) - 1] ?? number;
  const renumber = (text: string) => text.replaceAll(/(?<="contact_id":")[^"]+/g, numberOf);
  return {
    onRequest: (request: ProxiedRequest) => ({
      ...request,
      path: request.path.replace(/(?<=\/contacts\/)\d+(?=\/)|(?<=\/contacts\?before=)\d+$/, idOf),
    }),
    onReply: (reply: ProxiedReply, request) =>
      isAbout(request, '* /api/v1/contacts*') ? { ...reply, body: renumber(reply.body) } : reply,
  };
}

const cardPath = /^\/bots\/[0-9a-f-]{36}(\/?)$/;

/** Redirects card paths to the same paths with a trailing slash, where it serves the cards. */
const redirectsCards: Fault = {
  onRequest: (request) => {
    const [isCard, slash] = cardPath.exec(pathBelowApi(request)) ?? [];
    if (request.method !== 'GET' || isCard === undefined) return request;
    const [path = '', query] = request.path.split('?');
    const search = query === undefined ? '' : `?${query}`;
    if (slash === '/') return { ...request, path: `${path.slice(0, -1)}${search}` };
    return { status: 308, headers: { location: `${path}/${search}` }, body: '' };
  },
};

/** Applies the size limit to the body without its white space, because it is serialized again. */
const skipsSpace: Fault = {
  onRequest: (request) =>
    isAbout(request, '* /api/v1/posts*') && request.body.length > 65_536 ? withJson(request, (body) => body) : request,
};

export default parseCatalogueTable(table, {
  faults: {
    compactPosts,
    numbersContacts,
    redirectsCards,
    skipsSpace,
    putsPosts: alsoAs('PUT', /^\/posts\/[^/]+$/, 'PATCH'),
    postsProfiles: alsoAs('POST', /^\/bots\/me$/, 'PATCH'),
  },
});
