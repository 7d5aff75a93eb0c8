import { text } from 'node:stream/consumers';

// A model for EVALS_MODEL that follows the skill in one task: it sends the given text and stops.
const { given, calls, skill } = JSON.parse(await text(process.stdin));
const [, line = ''] = /^(agentp messages send .*)$/m.exec(skill) ?? [];
const words = line.replace('"<text>"', '<text>').split(' ').slice(1);
const filled = words.map((word) => given[word.slice(1, -1)] ?? word);
const next = calls.length > 0 ? { done: true } : { words: [...filled, '--profile', given.profile] };
process.stdout.write(`${JSON.stringify(next)}\n`);
