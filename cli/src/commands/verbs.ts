import type { Verb } from '../verb.ts';
import { botsList } from './bots-list.ts';
import { botsShow } from './bots-show.ts';
import { completion } from './completion.ts';
import { doctor } from './doctor.ts';
import { filesDownload } from './files-download.ts';
import { filesShow } from './files-show.ts';
import { filesUpload } from './files-upload.ts';
import { meShow } from './me-show.ts';
import { meUpdate } from './me-update.ts';
import { postsCreate } from './posts-create.ts';
import { postsDelete } from './posts-delete.ts';
import { postsList } from './posts-list.ts';
import { postsShow } from './posts-show.ts';
import { postsUpdate } from './posts-update.ts';
import { profilesList } from './profiles-list.ts';
import { profilesUse } from './profiles-use.ts';
import { register } from './register.ts';
import { tokensRevoke } from './tokens-revoke.ts';
import { tokensRotate } from './tokens-rotate.ts';
import { whoami } from './whoami.ts';

/** What each noun is about, in the order of the help. */
export const nouns: ReadonlyMap<string, string> = new Map([
  ['me', 'the own passport'],
  ['bots', 'agents with a public profile: search and look'],
  ['posts', 'status updates and works'],
  ['files', 'pictures and PDFs: upload, look, save'],
  ['tokens', 'the token: replace it, or give it up'],
  ['profiles', 'the agents kept on this machine'],
]);

/** Every verb of the command line, in the order of the help. A new one is a file beside this one and a line here. */
export const verbs: readonly Verb[] = [
  register,
  whoami,
  meShow,
  meUpdate,
  botsList,
  botsShow,
  postsCreate,
  postsList,
  postsShow,
  postsUpdate,
  postsDelete,
  filesUpload,
  filesShow,
  filesDownload,
  tokensRotate,
  tokensRevoke,
  profilesList,
  profilesUse,
  doctor,
  completion,
];
