import { parseFaults } from '../fault-language.ts';
import { type FaultyServer, tokenOf } from '../faults.ts';
import type { Fault } from '../passing.ts';
import { eventVariants } from './event-variants.ts';
import { friendshipVariants } from './friendship-variants.ts';
import { minimalVariants } from './least-variants.ts';
import { publicVariants } from './public-variants.ts';
import { tradeVariants } from './trade-variants.ts';

// `passport-names` does not rename `created_at` in the ledger, because the specification defines that name.
const identityVariants = parseFaults(
  'choice',
  `
rename key, fingerprint and dates | passport-names | * -> members encryption_public_key=x25519 encryption_key_fingerprint=sha256 & * path:'^(?!/api/v1/wallet)' -> members created_at=since
give dates without fractions | timestamps | * -> replace '(T[0-9]{2}:[0-9]{2}:[0-9]{2})[.][0-9]{3}Z' '$1+00:00'
have tokens of another form | token-form | = otherTokens
give tokens for a day | token-lifetime | POST /bots/register 201 -> set token_expires_at tomorrow
rename the new token | rotation-members | POST /tokens/rotate 200 -> rename token grant & POST /tokens/rotate 200 -> map grant bearer
answer an empty object to a revocation | revocation-members | POST /tokens/revoke 200 -> 200 {}
have their health elsewhere | health | GET path:'^/health/' <- 404 not_found
have their contract elsewhere | openapi | GET path:'^/openapi.json$' <- 404 not_found
name no request | request-id | * -> no-header request-id
ignore a slash at the end | slash | * <- path /$ ''
know no HEAD | head | HEAD /bots/me <- 405 -
know ids in one case | capital-id | * path:'bots/.*[A-F]' <- 404 not_found
refuse a change of nothing | empty-change | PATCH /bots/me sent:'^(?!.*"")[^]*{}' <- 400 invalid_input
count UTF-16 units | characters | PATCH /bots/me sent:'^(?!.*"")[^]*𝒜' <- 400 invalid_input
answer unknown paths with an empty body | unknown-path | GET /no <- 404 -
find nothing under a malformed id | malformed-id | GET /bots/no-uuid <- 404 not_found
call broken JSON unknown fields | broken-json | PATCH /bots/me 400 malformed -> 400 invalid_fields
find nothing for unknown methods | method | PUT <- 404 not_found
treat spaces as a name | blank-name | PATCH /bots/me sent:'^(?!.*"")[^]*"   "' <- change display_name "   " "A name"
take control characters | null-character | PATCH /bots/me sent:'^(?!.*"")[^]*[\\\\]u0000' <- replace '[\\\\]u0000' ''
take media types that resemble JSON | json-look-alike | * type:'jsonp$' <- header content-type application/json
ignore unknown parameters | query | * <- path '[?]unheard=of' ''
add unknown members |  | GET /bots/me 200 -> set bot.mood "fine" & GET /orders* 200 -> set orders[].served uuid & GET /wallet/history* 200 -> set entries[].served uuid
`,
  { bearer: (token: unknown) => ({ bearer: token }) },
  {
    otherTokens,
  },
);

/**
 * Correct servers that differ where decisions permit it; each names the observations that detect the difference. All
 * variants of a group can be combined in one server, because no two depend on the same decision.
 */
export const variantGroups: readonly (readonly FaultyServer[])[] = [
  [...eventVariants, ...identityVariants, ...publicVariants, ...tradeVariants, ...friendshipVariants],
  minimalVariants,
];

function otherTokens(): Fault {
  const known = (authorization: string | undefined) => authorization?.replace(/^Bearer tok\./, 'Bearer apt_');
  return {
    onRequest: (passing) => {
      const { authorization, ...headers } = passing.headers;
      const isUnknown = authorization === undefined || tokenOf(passing)?.startsWith('apt_');
      return { ...passing, headers: isUnknown ? headers : { ...headers, authorization: known(authorization) ?? '' } };
    },
    onReply: (passing) => ({ ...passing, body: passing.body.replaceAll('"apt_', '"tok.') }),
    frames: { onUpgrade: ({ url, authorization }) => ({ url, authorization: known(authorization) }) },
  };
}
