import { writeFileSync } from 'node:fs';
import { makeBoxVectors } from './box-vectors.ts';

// Run this after a change to the test vectors: node sdk/testing/write-box-vectors.ts
const file = new URL('./box-vectors.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(await makeBoxVectors(), null, 2)}\n`);
