import { writeFileSync } from 'node:fs';
import { makeBoxVectors } from './box-vectors.ts';

// Run after a change of the vectors: node sdk/scripts/write-box-vectors.ts
const file = new URL('../testing/box-vectors.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(await makeBoxVectors(), null, 2)}\n`);
