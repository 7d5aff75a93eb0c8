import { faultsOf } from '../fault-language.ts';
import { type Changeable, idIn, isAbout, items, refusal, requestWhen, tokenOf, withJson } from '../faults.ts';
import type { Fault, PassingRequest } from '../passing.ts';
import { repeatsReplies } from '../stateful-faults.ts';

const malformed = 'text title kind visibility rights-confirmed mood';
const post = '201 {"post":{"id":"01a1fdfe-0000-4000-8000-000000000000"}}';
const isOfPost = (passing: PassingRequest) => isAbout(passing, 'POST /api/v1/posts');

/** Servers that keep, list or show posts wrongly. */
export const postMutants = faultsOf(
  'posts',
  `
answers 200 to a new post | defaults | POST /posts 201 -> 200
answers a post without its container | defaults | POST /posts 201 -> unwrap post
reads a post with another text | defaults | GET /posts/* 200 -> set post.text "Another text."
has no state | defaults | POST /posts 201 -> drop post.state
numbers posts | defaults | POST /posts 201 -> set post.id 7
tells no visibility | defaults fields | GET /posts/* 200 -> drop post.visibility
cuts texts | fields | POST /posts <- cut text 7999
cuts titles | fields | POST /posts <- cut title 80
knows updates alone | fields list-kind | POST /posts <- change kind "portfolio" "update"
keeps every post private | fields list files.public | POST /posts <- set visibility "private"
cuts texts that are too long | text | POST /posts <- cut text 8000
takes an empty text | text | POST /posts <- change text "" " "
takes a number for a text | text | POST /posts <- text text
takes a post without text | text | POST /posts <- default text " "
cuts titles that are too long | title | POST /posts <- cut title 160
takes a number for a title | title | POST /posts <- text title
takes any kind for an update | kind | POST /posts <- change kind "note" "update"
takes any visibility for private | visibility | POST /posts <- change visibility "friends" "private"
takes true for public | visibility | POST /posts <- change visibility true "private"
takes words for rights | rights-confirmed | POST /posts <- change rights_confirmed "yes" true
takes numbers for rights | rights-confirmed | POST /posts <- change rights_confirmed 1 true
drops unknown members | mood | POST /posts <- drop mood
names one code for all malformed posts | ${malformed} | POST /posts 400 -> code invalid_input
answers 422 to malformed posts | ${malformed} | POST /posts 400 -> 422
makes one post of two alike | repeated | = repeatsReplies
refuses a post that exists already | repeated | = refusesRepeats
lists no private posts | list | GET /posts?* 200 -> remove posts visibility "private"
lists own posts alone | list visibility.closing | GET /posts?* 200 -> map posts own
lists the oldest posts first | list | GET /posts?* 200 -> reverse posts
lists public posts before private ones | list | GET /posts?* 200 -> map posts publicFirst
lists posts of every kind | list-kind | GET /posts* <- query drop kind
lists fifty posts by default | paging | GET /posts* <- query default page_size 50
lists ten posts by default | paging | GET /posts* <- query default page_size 10
loses a post at the border of pages of seven | paging | GET /posts?* path:'page=2&page_size=7' 200 -> map posts withoutFirst
cuts texts that are too long in a change | changed-text | PATCH /posts/* <- cut text 8000
takes an empty text in a change | changed-text | PATCH /posts/* <- change text "" " "
clears the title with every change | changed-text | PATCH /posts/* <- default title ""
counts the bytes of a post | fields | POST /posts sent:'語{3000}' <- 400 invalid_text
knows one page of posts | paging | GET /posts* <- query drop page
shows private posts to everybody | defaults foreign visibility-change | GET /posts/* <- as-author post
lets everybody change posts | foreign | PATCH /posts/* <- as-author post
lets everybody delete posts | foreign | DELETE /posts/* <- as-author post
calls a private post forbidden | foreign defaults visibility.closing | GET /posts/* 404 -> 403 forbidden
deletes nothing | deletion files.deleted | DELETE /posts/* token <- 200 {"deleted":true}
deletes twice | deletion | DELETE /posts/* 404 -> 200
lists posts that were deleted | deletion | = listsDeleted
never retracts a post | visibility-change files.retracted | PATCH /posts/* sent:'"private"' <- ${post.replace('201', '200')}
changes no visibility | visibility-change file-rights | PATCH /posts/* <- drop visibility
publishes under a closed profile | closed-profile | POST /posts 400 -> ${post}
publishes by a change under a closed profile | closed-profile | PATCH /posts/* 400 -> ${post.replace('201', '200')}
requires no rights of works | portfolio-rights file-rights | POST /posts <- set rights_confirmed true
ignores rights that are denied | portfolio-rights | POST /posts <- change rights_confirmed false true
requires no rights where a post is opened | file-rights | PATCH /posts/* <- set rights_confirmed true
names another code for missing rights | portfolio-rights file-rights | * has:'rights_required' -> 400 invalid_field
takes the files of others | attachments | POST /posts 404 -> ${post}
calls a foreign file not found | attachments | POST /posts 404 -> code not_found
binds no files | attachments bound-file ten-files | POST /posts <- drop attachment_ids
takes a file twice | bound-file | POST /posts 409 -> ${post}
calls a file that is bound absent | bound-file | POST /posts 409 -> 404 invalid_attachment
takes the first ten of eleven files | ten-files | POST /posts <- cut attachment_ids 10
takes nine files | ten-files | POST /posts sent:'"attachment_ids":.("[^"]+",){9}"[^"]+"]' <- 400 invalid_field
`,
  {
    own: (posts: readonly Changeable[]) => posts.filter((each) => 'rights_confirmed' in each),
    withoutFirst: (posts: readonly Changeable[]) => posts.slice(1),
    publicFirst: (posts: readonly Changeable[]) =>
      posts.toSorted((one, other) => String(other['visibility']).localeCompare(String(one['visibility']))),
  },
  {
    repeatsReplies: repeatsReplies((sent) => (isOfPost(sent) ? `${tokenOf(sent)} ${sent.body}` : undefined)),
    ...{ refusesRepeats, listsDeleted },
  },
);

function refusesRepeats(): Fault {
  const made = new Set<string>();
  return requestWhen(isOfPost, (passing) => {
    const isKnown = made.has(passing.body);
    made.add(passing.body);
    return isKnown ? refusal(409, 'idempotency_conflict') : passing;
  });
}

function listsDeleted(): Fault {
  const gone = new Set<string>();
  const listed = items('posts', (posts) => [...posts, ...[...gone].map((id) => ({ id }))]);
  return {
    onRequest: (passing) => {
      if (isAbout(passing, 'DELETE /api/v1/posts/*')) gone.add(idIn(passing.path));
      return passing;
    },
    onReply: (passing, sent) => (isAbout(sent, 'GET /api/v1/posts?*') ? withJson(passing, listed) : passing),
  };
}
