import {
  atOnce,
  type Changeable,
  codeIn,
  cut,
  type FaultyServer,
  isAbout,
  json,
  parse,
  refusal,
  replyWhen,
  requestWhen,
  tokenOf,
} from './faults.ts';
import type { Fault, PassingReply, PassingRequest } from './passing.ts';

// One faulty server a line: `name | checks | rule & rule`. A check without a dot belongs to the area of its table.
// A rule is `condition -> change` of replies, `condition <- change` of requests, or `= name` of a function.
//
// A condition is a method (or *), a path below /api/v1 (with * for anything at its end) and, all of them optional:
// a status or an error code of the reply, `has:'…'` in the reply, `sent:'…'` in the request, `path:'…'`, `token`, `anonymous`.
// A path may be left out as well.

type Change = (body: Changeable) => unknown;

/** The faults that need more than the language has; they may have a state. */
export type FaultFunctions = Readonly<Record<string, Fault | (() => Fault)>>;

/** Reads a table of faulty servers. */
export function faultsOf(area: string, table: string, functions: FaultFunctions = {}): readonly FaultyServer[] {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const [name = '', kills = '', ...rest] = line.split(' | ').map((part) => part.trim());
    const makers = rest
      .join(' | ')
      .split(' & ')
      .map((rule) => readRule(rule, functions));
    return {
      name,
      kills: kills === '' ? [] : kills.split(' ').map((id) => (id.includes('.') ? id : `${area}.${id}`)),
      fault: () => {
        const faults = makers.map((make) => make());
        return faults.length === 1 && faults[0] !== undefined ? faults[0] : atOnce(faults);
      },
    };
  });
}

function readRule(rule: string, functions: FaultFunctions): () => Fault {
  if (rule.startsWith('= ')) {
    const fault = functions[rule.slice(2)];
    if (fault === undefined) throw new Error(`There is no function for "${rule}".`);
    return typeof fault === 'function' ? fault : () => fault;
  }
  const [, condition, arrow, change] = /^(.*?) (->|<-) (.*)$/.exec(rule) ?? [];
  if (condition === undefined || change === undefined) throw new Error(`This is no rule: ${rule}`);
  const isMeant = readCondition(condition);
  const [verb = '', ...words] = wordsOf(change);
  const fault =
    arrow === '->'
      ? replyWhen(isMeant, replyChange(verb, words))
      : requestWhen((sent) => isMeant(undefined, sent), requestChange(verb, words));
  return () => fault;
}

/** The words of a text; JSON and quoted texts are one word each. */
function wordsOf(text: string): readonly string[] {
  return text.match(/[a-z]+:'[^']*'|"(?:\\.|[^"\\])*"|[{[].*|\S+/g) ?? [];
}

type Condition = (reply: PassingReply | undefined, request: PassingRequest) => boolean;

function readCondition(text: string): Condition {
  const conditions = wordsOf(text).map((word, index): Condition => {
    if (index === 0) return (_, { method }) => word === '*' || method === word;
    if (word.startsWith('/')) return (_, sent) => isAbout(sent, `* /api/v1${word}`);
    if (/^\d+$/.test(word)) return (reply) => reply?.status === Number(word);
    if (word === 'token') return (_, sent) => tokenOf(sent) !== undefined;
    if (word === 'anonymous') return (_, sent) => tokenOf(sent) === undefined;
    const [, kind, part = ''] = /^([a-z]+):'(.*)'$/s.exec(word) ?? [];
    if (kind === undefined) return (reply) => reply !== undefined && codeIn(reply) === word;
    if (kind === 'has') return (reply) => reply?.body.includes(part) === true;
    return (_, sent) => (kind === 'sent' ? sent.body : sent.path).includes(part);
  });
  return (reply, request) => conditions.every((isMet) => isMet(reply, request));
}

function replyChange(verb: string, words: readonly string[]): (reply: PassingReply) => PassingReply {
  if (/^\d+$/.test(verb)) {
    const [what] = words;
    if (what === undefined) return (reply) => ({ ...reply, status: Number(verb) });
    return () => standIn(Number(verb), what);
  }
  if (verb === 'code') return ({ status }) => refusal(status, words[0] ?? '');
  const change = bodyChange(verb, words);
  return (reply) => ({ ...reply, body: changed(reply.body, change) });
}

function requestChange(
  verb: string,
  words: readonly string[],
): (request: PassingRequest) => PassingRequest | PassingReply {
  const [first = '', second = '', third = ''] = words;
  if (/^\d+$/.test(verb)) return () => standIn(Number(verb), first);
  if (verb === 'path') return (sent) => ({ ...sent, path: sent.path.replace(JSON.parse(first), JSON.parse(second)) });
  if (verb !== 'query') {
    const change = bodyChange(verb, words);
    return (sent) => ({ ...sent, body: changed(sent.body, change) });
  }
  return (sent) => {
    const [path, search = ''] = sent.path.split('?');
    const query = new URLSearchParams(search);
    if (first === 'drop') query.delete(second);
    if (first === 'default' && !query.has(second)) query.set(second, third);
    if (first === 'change' && query.get(second) === third) query.set(second, words[3] ?? '');
    return { ...sent, path: query.size === 0 ? `${path}` : `${path}?${query}` };
  };
}

/** `409 state_conflict` is a refusal, `200 {…}` a reply with this JSON, `405 -` an empty one. */
function standIn(status: number, what: string): PassingReply {
  if (what === '-') return { status, headers: {}, body: '' };
  return what.startsWith('{') ? json(status, JSON.parse(what)) : refusal(status, what);
}

/**
 * `set a JSON`, `default a JSON`, `drop a`, `rename a b`, `unwrap a`, `cut a 100`, `change a FROM TO` and, of a list,
 * `reverse a`. `a.b` is a member inside of another.
 */
function bodyChange(verb: string, [target = '', ...args]: readonly string[]): Change {
  const [name = '', ...rest] = target.split('.');
  if (rest.length > 0) {
    const inner = bodyChange(verb, [rest.join('.'), ...args]);
    return (body) => ({ ...body, [name]: inner(body[name] as Changeable) });
  }
  const [first = '', second = ''] = args;
  const put = (body: Changeable, value: unknown) => ({ ...body, [name]: value });
  const changes: Readonly<Record<string, Change>> = {
    set: (body) => put(body, JSON.parse(first)),
    default: (body) => put(body, body[name] ?? JSON.parse(first)),
    drop: ({ [name]: _, ...others }) => others,
    rename: ({ [name]: value, ...others }) => ({ ...others, [first]: value }),
    unwrap: (body) => body[name],
    cut: (body) => put(body, cut(body[name], Number(first))),
    change: (body) => (body[name] === JSON.parse(first) ? put(body, JSON.parse(second)) : body),
    reverse: (body) => (Array.isArray(body[name]) ? put(body, body[name].toReversed()) : body),
  };
  const change = changes[verb];
  if (change === undefined) throw new Error(`There is no change "${verb}".`);
  return change;
}

function changed(text: string, change: Change): string {
  const body = parse(text);
  if (body === undefined) return text;
  const next = change(body);
  return JSON.stringify(typeof next === 'object' && next !== null ? next : body);
}
