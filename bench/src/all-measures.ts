import type { Measure } from './measure.ts';
import { embedded } from './measures/embedded.ts';
import { hot } from './measures/hot.ts';
import { memory } from './measures/memory.ts';
import { reading } from './measures/reading.ts';
import { storm } from './measures/storm.ts';
import { upload } from './measures/upload.ts';
import { messages, orders, posting } from './measures/writing.ts';

/** All measures, in the order in which they run. */
export const allMeasures: readonly Measure[] = [
  ...reading,
  messages,
  posting,
  orders,
  hot,
  embedded,
  memory,
  upload,
  storm,
];
