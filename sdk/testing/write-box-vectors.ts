import { writeFileSync } from 'node:fs';
import { makeBoxVectors } from './box-vectors.ts';

// Run after a change of the vectors: node sdk/testing/write-box-vectors.ts
const file = new URL('./box-vectors.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(await makeBoxVectors(), null, 2)}\n`);
