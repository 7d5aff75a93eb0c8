import { spawnSync } from 'node:child_process';
import { exceptionApplies, readBlocks, unexecutedBlocks } from './blocks.ts';

/** The languages of blocks that tests execute; `npm run lab -- frameworks` also executes `js`. */
export const executedLanguages = ['sh', 'ts', 'console', 'python'];
export const displayedLanguages = ['js', 'text', 'json', 'yaml', 'http', 'ini', 'mermaid'];

export const pythonTutorial = 'docs/tutorials/python.md';
export const hasPyNaCl = spawnSync('python3', ['-c', 'import nacl']).status === 0;

/** The blocks of a document that a test executes, in their order. */
export function listExecutableBlocks(document: string) {
  return readBlocks(document).filter(
    (block) =>
      executedLanguages.includes(block.language) &&
      !unexecutedBlocks.some((exception) => exceptionApplies(block, exception)),
  );
}

/** The data of the last envelope in an output. */
export function lastData(output = ''): unknown {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '').data;
}

/** Replaces ids, keys, codes and times, which differ in each run. */
export function insertPlaceholders(text = ''): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)')
    .replaceAll(/[\w+/]{43}=/g, '(key)')
    .replaceAll(/inv_[\w-]+/g, '(code)')
    .replaceAll(/([0-9a-f]{4} ){7}[0-9a-f]{4}/g, '(fingerprint)')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC/g, '(time)')
    .trim();
}
