import type { Measure } from './measure.ts';
import { client } from './measures/client.ts';
import { connections, storm } from './measures/connections.ts';
import { embedded } from './measures/embedded.ts';
import { events } from './measures/events.ts';
import { history } from './measures/history.ts';
import { hot } from './measures/hot.ts';
import { memory } from './measures/memory.ts';
import { pages } from './measures/pages.ts';
import { posts } from './measures/posts.ts';
import { processes } from './measures/processes.ts';
import { reading } from './measures/reading.ts';
import { ready } from './measures/ready.ts';
import { sealing } from './measures/sealing.ts';
import { search } from './measures/search.ts';
import { upload } from './measures/upload.ts';
import { messages, orders, posting } from './measures/writing.ts';

/** Every measure, in the order in which they are taken. */
export const allMeasures: readonly Measure[] = [
  ...reading,
  messages,
  posting,
  orders,
  processes,
  hot,
  embedded,
  pages,
  ready,
  memory,
  search,
  posts,
  history,
  upload,
  events,
  connections,
  storm,
  sealing,
  client,
];
