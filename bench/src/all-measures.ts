import type { Measure } from './measure.ts';
import { embeddedMeasure } from './measures/embedded.ts';
import { hotAgentMeasure } from './measures/hot.ts';
import { memoryMeasure } from './measures/memory.ts';
import { readingMeasures } from './measures/reading.ts';
import { stormMeasure } from './measures/storm.ts';
import { uploadMeasure } from './measures/upload.ts';
import { messageMeasure, orderMeasure, postMeasure } from './measures/writing.ts';

/** All measures, in the order in which they run. */
export const allMeasures: readonly Measure[] = [
  ...readingMeasures,
  messageMeasure,
  postMeasure,
  orderMeasure,
  hotAgentMeasure,
  embeddedMeasure,
  memoryMeasure,
  uploadMeasure,
  stormMeasure,
];
