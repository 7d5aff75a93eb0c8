/**
 * From now on `eval` and the constructors of functions throw. The option of Node.js with this effect would cost each start
 * of an inspector a sixth of its processor time: with it, Node.js compiles its own modules anew.
 */
export function forbidCodeFromText(): void {
  // `new` calls it as well.
  function forbidden(): never {
    throw new EvalError('Code from text is forbidden in this process.');
  }
  // Libraries ask for `instanceof Function`, and borrow the methods of its prototype.
  forbidden.prototype = Function.prototype;
  const kinds = [() => undefined, async () => undefined, function* () {}, async function* () {}];
  for (const kind of kinds) Object.defineProperty(kind.constructor.prototype, 'constructor', { value: forbidden });
  Object.assign(globalThis, { eval: forbidden, Function: forbidden });
}
