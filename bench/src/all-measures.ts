import type { Measure } from './measure.ts';
import { client } from './measures/client.ts';
import { connections, storm } from './measures/connections.ts';
import { events } from './measures/events.ts';
import { memory } from './measures/memory.ts';
import { posts } from './measures/posts.ts';
import { ready } from './measures/ready.ts';
import { embedded } from './measures/requests/embedded.ts';
import { history } from './measures/requests/history.ts';
import { hot } from './measures/requests/hot.ts';
import { pages } from './measures/requests/pages.ts';
import { processes } from './measures/requests/processes.ts';
import { reading } from './measures/requests/reading.ts';
import { messages, orders, posting } from './measures/requests/writing.ts';
import { sealing } from './measures/sealing.ts';
import { search } from './measures/search.ts';
import { upload } from './measures/upload.ts';

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
