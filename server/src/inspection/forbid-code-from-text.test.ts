import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const attempts = {
  eval: `eval('1')`,
  'eval of the global scope': `globalThis.eval('1')`,
  'a function': `new Function('return 1')()`,
  'a function by the constructor of another': `(() => 1).constructor('return 1')()`,
  'a function by its prototype': `Function.prototype.constructor('return 1')()`,
  'an asynchronous function': `(async () => 1).constructor('return 1')()`,
  'a generator': `(function* () {}).constructor('yield 1')()`,
  'an asynchronous generator': `(async function* () {}).constructor('yield 1')()`,
};

// Libraries use the class `Function` in these ways.
const harmless = {
  'a comparison with the class of functions': `if (!((() => 1) instanceof Function)) throw new TypeError()`,
  'a method of the prototype': `Function.prototype.toString.call(() => 1)`,
};

function attempt(steps: Readonly<Record<string, string>>, before: string): unknown {
  const program = `
    ${before}
    console.log(JSON.stringify({${Object.entries(steps).map(([name, code]) => toProperty(name, code))}}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return stdout === '' ? stderr : JSON.parse(stdout);
}

function toProperty(name: string, code: string): string {
  return `'${name}': (() => { try { ${code}; return 'done'; } catch (error) { return error.name; } })()`;
}

const allOf = (steps: object, outcome: string) => Object.fromEntries(Object.keys(steps).map((name) => [name, outcome]));

const module = JSON.stringify(import.meta.resolve('./inspect-file.ts'));
const forbidding = `import { forbidCodeFromText } from ${module}; forbidCodeFromText();`;

it('forbids every way to run text as code', () => {
  expect(attempt(attempts, '')).toEqual(allOf(attempts, 'done'));
  expect(attempt(attempts, forbidding)).toEqual(allOf(attempts, 'EvalError'));
});

it('permits all other uses of functions', () => {
  expect(attempt(harmless, forbidding)).toEqual(allOf(harmless, 'done'));
});
