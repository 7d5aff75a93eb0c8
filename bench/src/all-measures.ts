import type { Measure } from './measure.ts';
import { client } from './measures/client.ts';
import { events } from './measures/events.ts';
import { history } from './measures/history.ts';
import { memory } from './measures/memory.ts';
import { pages } from './measures/pages.ts';
import { posts } from './measures/posts.ts';
import { me, wallet } from './measures/reading.ts';
import { ready } from './measures/ready.ts';
import { sealing } from './measures/sealing.ts';
import { search } from './measures/search.ts';
import { upload } from './measures/upload.ts';
import { messages, orders } from './measures/writing.ts';

/** Every measure, in the order in which they are taken. */
export const allMeasures: readonly Measure[] = [
  me,
  ready,
  memory,
  search,
  posts,
  pages,
  upload,
  messages,
  sealing,
  client,
  events,
  orders,
  wallet,
  history,
];
