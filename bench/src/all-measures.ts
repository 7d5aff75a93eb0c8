import type { Measure } from './measure.ts';
import { events } from './measures/events.ts';
import { history } from './measures/history.ts';
import { me } from './measures/me.ts';
import { memory } from './measures/memory.ts';
import { messages } from './measures/messages.ts';
import { orders } from './measures/orders.ts';
import { postsPage } from './measures/posts-page.ts';
import { ready } from './measures/ready.ts';
import { sealing } from './measures/sealing.ts';
import { search } from './measures/search.ts';
import { upload } from './measures/upload.ts';
import { wallet } from './measures/wallet.ts';

/** Every measure, in the order in which they are taken. */
export const allMeasures: readonly Measure[] = [
  me,
  ready,
  memory,
  search,
  postsPage,
  upload,
  messages,
  sealing,
  events,
  orders,
  wallet,
  history,
];
