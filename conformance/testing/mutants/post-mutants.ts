import { parseFaults } from '../fault-language.ts';
import { changeRequests, isAbout, type MutableObject, refusal, tokenOf } from '../faults.ts';
import type { Fault, ProxiedRequest } from '../passing.ts';
import { repeatReplies } from '../stateful-faults.ts';

const malformed = 'text title kind visibility rights-confirmed mood';
const post = '201 {"post":{"id":"01a1fdfe-0000-4000-8000-000000000000"}}';
const isOfPost = (passing: ProxiedRequest) => isAbout(passing, 'POST /api/v1/posts');

export const postMutants = parseFaults(
  'posts',
  `
answers a post without its container | defaults | POST /posts 201 -> unwrap post
reads a post with another text | defaults | GET /posts/* 200 -> set post.text "Another text."
keeps every post private | fields list files.public | POST /posts <- set visibility "private"
answers 422 to malformed posts | ${malformed} | POST /posts 400 -> 422
makes one post of two alike | repeated | = repeatsReplies
refuses a post that exists already | repeated | = refusesRepeats
lists public posts before private ones | list | GET /posts?* 200 -> map posts publicFirst
lists fifty posts by default | paging | GET /posts* <- query default page_size 50
lists ten posts by default | paging | GET /posts* <- query default page_size 10
cuts texts that are too long in a change | changed-text | PATCH /posts/* <- cut text 8000
shows private posts to everybody | defaults foreign visibility-change | GET /posts/* <- as-author post
deletes nothing | deletion files.deleted | DELETE /posts/* token <- 200 {"deleted":true}
never retracts a post | visibility-change files.retracted | PATCH /posts/* sent:'"private"' <- ${post.replace('201', '200')}
publishes by a change under a closed profile | closed-profile | PATCH /posts/* 400 -> ${post.replace('201', '200')}
requires no rights of works | portfolio-rights file-rights | POST /posts <- set rights_confirmed true
ignores rights that are denied | portfolio-rights | POST /posts <- change rights_confirmed false true
requires no rights where a post is opened | file-rights | PATCH /posts/* <- set rights_confirmed true
binds no files | attachments bound-file ten-files | POST /posts <- drop attachment_ids
takes nine files | ten-files | POST /posts sent:'"attachment_ids":.("[^"]+",){9}"[^"]+"]' <- 400 invalid_field
`,
  {
    publicFirst: (posts: readonly MutableObject[]) =>
      posts.toSorted((one, other) => String(other['visibility']).localeCompare(String(one['visibility']))),
  },
  {
    repeatsReplies: repeatReplies((sent) => (isOfPost(sent) ? `${tokenOf(sent)} ${sent.body}` : undefined)),
    refusesRepeats,
  },
);

function refusesRepeats(): Fault {
  const made = new Set<string>();
  return changeRequests(isOfPost, (passing) => {
    const isKnown = made.has(passing.body);
    made.add(passing.body);
    return isKnown ? refusal(409, 'idempotency_conflict') : passing;
  });
}
