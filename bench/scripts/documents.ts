export { documents } from '../src/results/save-run.ts';
