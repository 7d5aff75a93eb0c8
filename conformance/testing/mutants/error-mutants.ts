import { parseFaults } from '../fault-language.ts';
import { changeRequests, isAbout, refusal } from '../faults.ts';
import type { ProxiedRequest } from '../passing.ts';

const malformed = 'broken-json not-an-object';

export const errorMutants = parseFaults(
  'errors',
  `
an error has its members at the top | form | * refused -> unwrap error
errors are HTML | form access.absent | * refused -> header content-type text/html & * refused -> body '<h1>No</h1>'
a malformed body is 500 | ${malformed} own-profile.type | PATCH /bots/me 400 -> 500
a malformed body is 422 | ${malformed} own-profile.boolean | PATCH /bots/me 400 -> 422
broken JSON is an empty object | broken-json | PATCH /bots/me malformed sent:'^{' <- body {}
JSON that is not an object is an empty object | not-an-object | PATCH /bots/me sent:'^[^{<]' <- body {}
a closed profile is 403 | not-found | GET /bots/* 404 -> 403 forbidden
a missing agent has another code | not-found | GET /bots/* 404 -> code no_such_bot
a closed profile stays readable | not-found | GET /bots/* path:'(?<!/me)$' -> as-first-seen
an unknown agent is 200 | not-found | GET /bots/* 404 -> 200
a body has no limit | body-size | = noLimit
a body in chunks has no limit | body-size | = noLimitInChunks
a body has half of the limit | body-size | * longer:'32768' <- 413 body_too_large
a body has one byte less than the limit | body-size | * longer:'65535' <- 413 body_too_large
a body that is too large is 400 | body-size | PATCH /bots/me 413 -> 400
every type is JSON | media-type | PATCH /bots/me sent:'^<' <- header content-type application/json & PATCH sent:'^<' <- body {}
another type is a malformed body | media-type | PATCH /bots/me 415 -> 400
replies are of the type text | transport.json transport.declared | * -> header content-type text/plain
refused uploads are of the type text | transport.declared | POST /attachments 400 -> header content-type text/plain
replies have no type | transport.json | * -> no-header content-type
paths are redirected to a slash | transport.paths | GET /bots <- 308 -
paths need a slash | transport.paths | = needsSlash
posts are at another version | transport.paths | GET /posts <- 404 not_found
a body that is null is 500 | bodies.edges transport.crashes | POST /posts sent:'^null$' <- 500 internal_error
a number is taken for a bio | bodies.members | PATCH /bots/me <- text bio
an id that cannot be read is 500 | paths.edges | GET path:'no-id%ff' <- 500 internal_error
a bio is a number | transport.forms | GET /bots/me 200 -> set bot.bio 7
an order is started without a token | access.every-operation | POST path:'/start$' anonymous <- 404 not_found
a catalog of services exists | versioning.absent-operations | GET /services <- 200 {"services":[]}
credits can be bought | versioning.absent-operations | POST /wallet/purchase token <- 201 {}
the encryption key can be changed | versioning.absent-operations | POST /bots/me/* <- 200 {}
`,
  {},
  {
    needsSlash: {
      onRequest: (sent) => {
        if (sent.path === '/api/v1/posts') return refusal(404, 'not_found');
        return sent.path === '/api/v1/posts/' ? { ...sent, path: '/api/v1/posts' } : sent;
      },
    },
    noLimit: withoutLimit(() => true),
    noLimitInChunks: withoutLimit(({ isChunked }) => isChunked === true),
  },
);

/** The proxy removes white space, so that the server accepts a body of any size. */
function withoutLimit(isMeant: (sent: ProxiedRequest) => boolean) {
  return changeRequests(
    (sent) => isAbout(sent, 'PATCH /api/v1/bots/me') && sent.body.length > 65_536 && isMeant(sent),
    (sent) => ({ ...sent, body: sent.body.trim().replace(/ +}$/, '}') }),
  );
}
