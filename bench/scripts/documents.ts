export { generatedDocuments } from '../src/results/save-run.ts';
