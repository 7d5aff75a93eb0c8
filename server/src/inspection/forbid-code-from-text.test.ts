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

function attempt(before: string): unknown {
  const program = `
    ${before}
    console.log(JSON.stringify({${Object.entries(attempts).map(([name, code]) => toProperty(name, code))}}));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  return stdout === '' ? stderr : JSON.parse(stdout);
}

function toProperty(name: string, code: string): string {
  return `'${name}': (() => { try { ${code}; return 'done'; } catch (error) { return error.name; } })()`;
}

const allOf = (outcome: string) => Object.fromEntries(Object.keys(attempts).map((name) => [name, outcome]));

it('forbids every way from a text to code', () => {
  const module = JSON.stringify(import.meta.resolve('./forbid-code-from-text.ts'));

  expect(attempt('')).toEqual(allOf('done'));
  expect(attempt(`import { forbidCodeFromText } from ${module}; forbidCodeFromText();`)).toEqual(allOf('EvalError'));
});
