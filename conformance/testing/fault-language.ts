import { randomUUID } from 'node:crypto';
import type { JsonChange as Change, MutableObject } from './faults.ts';
import * as faults from './faults.ts';
import * as frameFaults from './frame-faults.ts';
import type { Fault, ProxiedReply, ProxiedRequest } from './passing.ts';
import * as stateful from './stateful-faults.ts';

// A table has one faulty server per line: `name | checks | rule & rule`. A check without a dot is in the area of the
// table. mutants/catalogue/README.md explains the rules.

/** Faults that the table's language cannot express, by name; a function makes a fault with new state. */
export type FaultFunctions = Readonly<Record<string, Fault | (() => Fault)>>;

/** Functions for `map`, by name. Each receives a member's value and the object around it, and returns a new value. */
export type ValueFunctions = Readonly<Record<string, (value: never, body: MutableObject) => unknown>>;

interface Vocabulary {
  readonly values: ValueFunctions;
  readonly functions: FaultFunctions;
}

export function parseFaults(area: string, table: string, values: ValueFunctions = {}, functions: FaultFunctions = {}) {
  return parseTableRows(area, table).map(({ name, kills, rest }): faults.FaultyServer => {
    const makers = rest.split(' & ').map((rule) => readRule(rule, { values, functions }));
    const [only] = makers;
    const fault = () => faults.combineFaults(makers.map((make) => make()));
    return { name, kills, fault: makers.length === 1 && only !== undefined ? only : fault };
  });
}

/** Splits each line of a table into the name, the checks and the rest. */
export function parseTableRows(area: string, table: string) {
  const lines = table.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap(spread).map((line) => {
    const [name = '', kills = '', ...rest] = line.split(' | ').map((part) => part.trim());
    const ids = kills.split(' ').filter((id) => id !== '');
    return { name, kills: ids.map((id) => (id.includes('.') ? id : `${area}.${id}`)), rest: rest.join(' | ') };
  });
}

function spread(line: string): readonly string[] {
  const [all = '', list] = /<(\w[^<>]*)>(?=[^|]*\|)/.exec(line) ?? [];
  if (list === undefined) return [line];
  return list.split(' ').map((one) => line.replace(all, one).replaceAll('<>', one));
}

function readRule(rule: string, vocabulary: Vocabulary): () => Fault {
  if (rule.startsWith('= ')) {
    const fault = vocabulary.functions[rule.slice(2)];
    if (fault === undefined) throw new Error(`There is no function for "${rule}".`);
    return typeof fault === 'function' ? fault : () => fault;
  }
  const [, end, later] = /^after (\S+) (.*)$/.exec(rule) ?? [];
  if (end !== undefined && later !== undefined) return stateful.startFaultAfter(end, readRule(later, vocabulary));
  const [, condition, arrow, change] = /^(.*?) (->|<-) (.*)$/s.exec(rule) ?? [];
  if (condition === undefined || change === undefined) throw new Error(`This is no rule: ${rule}`);
  const [verb = '', ...words] = wordsOf(change);
  const makeChange = () => readChange(verb, words, vocabulary.values);
  const frames = readFrameRule(condition.split(' '), verb, makeChange);
  if (frames !== undefined) return () => ({ frames });
  const isMeant = readCondition(condition);
  const isSent = (sent: ProxiedRequest) => isMeant(undefined, sent);
  if (verb === 'as-first-seen') return stateful.repeatFirstReplies(isSent);
  if (verb === 'as-author') return stateful.authorizeEveryone(`${words[0]}`, isSent);
  if (verb === 'as-last-caller') return stateful.reuseTokens(isSent);
  if (verb === 'unless-busy') return stateful.refuseConcurrent(isSent, standIn(`${words[0]}`, words[1]));
  const fault =
    arrow === '->'
      ? faults.changeSelectedReplies(isMeant, replyChange(verb, words, makeChange))
      : faults.changeRequests(isSent, requestChange(verb, words, makeChange));
  return () => fault;
}

function readFrameRule([subject, which = '']: readonly string[], verb: string, makeChange: () => Change) {
  if (subject === 'handshake') return frameFaults.changeHandshake(() => Number(verb));
  if (subject === 'close')
    return frameFaults.changeCloseCode(Number(which), verb === 'none' ? undefined : Number(verb));
  if (subject === 'acked') return frameFaults.changeAckAnswers(makeChange());
  return subject === 'event' ? frameFaults.changeEvents(makeChange(), (kind) => kind.startsWith(which)) : undefined;
}

/** Splits a text into words; JSON and quoted texts are one word each. */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/[a-z]+:'[^']*'|'[^']*'|"(?:\\.|[^"\\])*"|[{[].*|\S+/gs) ?? [];
  return words.map((word) => (word.startsWith("'") ? word.slice(1, -1) : word));
}

type Condition = (reply: ProxiedReply | undefined, request: ProxiedRequest) => boolean;

const texts: Readonly<Record<string, (reply: ProxiedReply | undefined, request: ProxiedRequest) => string>> = {
  has: (reply) => reply?.body ?? '',
  sent: (_, { body }) => body,
  path: (_, { path }) => path,
  type: (_, { headers }) => headers['content-type'] ?? '',
};

function readCondition(text: string): Condition {
  const conditions = wordsOf(text).map((word, index): Condition => {
    if (index === 0) return (_, { method }) => word === '*' || method === word;
    if (word.startsWith('/')) return (_, sent) => faults.isAbout(sent, `* /api/v1${word}`);
    if (/^\d+$/.test(word)) return (reply) => reply?.status === Number(word);
    if (word === 'refused') return (reply) => reply !== undefined && reply.status >= 400;
    if (word === 'malformed') return (_, { body }) => faults.parseJsonObject(body) === undefined;
    if (word === 'token') return (_, sent) => faults.tokenOf(sent) !== undefined;
    if (word === 'anonymous') return (_, sent) => faults.tokenOf(sent) === undefined;
    const [, kind = '', pattern = ''] = /^([a-z]+):'(.*)'$/s.exec(word) ?? [];
    if (kind === 'longer') return (_, { body }) => body.length > Number(pattern);
    const textOf = texts[kind];
    if (textOf === undefined) return (reply) => reply !== undefined && faults.codeIn(reply) === word;
    return (reply, sent) => new RegExp(pattern).test(textOf(reply, sent));
  });
  return (reply, request) => conditions.every((isMet) => isMet(reply, request));
}

function replyChange(
  verb: string,
  words: readonly string[],
  makeChange: () => Change,
): (reply: ProxiedReply) => ProxiedReply {
  const [first = ''] = words;
  if (/^\d+$/.test(verb) && first === '') return (reply) => ({ ...reply, status: Number(verb) });
  if (/^\d+$/.test(verb)) return () => standIn(verb, first);
  if (verb === 'code') return ({ status }) => faults.refusal(status, first);
  return textChange(verb, words) ?? onJson(makeChange());
}

function requestChange(
  verb: string,
  words: readonly string[],
  makeChange: () => Change,
): (request: ProxiedRequest) => ProxiedRequest | ProxiedReply {
  const [first = '', second = '', third = '', fourth = ''] = words;
  if (/^\d+$/.test(verb)) return () => standIn(verb, first);
  if (verb === 'echo') return (sent) => faults.jsonReply(200, { [first]: faults.parseJsonObject(sent.body) });
  if (verb === 'path') return (sent) => ({ ...sent, path: sent.path.replace(new RegExp(first), second) });
  if (verb !== 'query') return textChange(verb, words) ?? onJson(makeChange());
  return (sent) => {
    const [path, search] = sent.path.split('?');
    const query = new URLSearchParams(search);
    if (first === 'drop') query.delete(second);
    if (first === 'default' && !query.has(second)) query.set(second, third);
    if (first === 'change' && query.get(second) === third) query.set(second, fourth);
    return { ...sent, path: query.size === 0 ? `${path}` : `${path}?${query}` };
  };
}

function onJson(change: Change) {
  return <M extends ProxiedReply | ProxiedRequest>(message: M): M => faults.withJson(message, change);
}

/** `body TEXT`, `replace PATTERN TEXT`, `members a=b c=d` at any depth, `header NAME VALUE` and `no-header NAME`. */
function textChange(verb: string, words: readonly string[]) {
  const [first = '', second = ''] = words;
  const names = new Map(words.map((word) => word.split('=') as [string, string]));
  const renamed = (all: string, name: string) => (names.has(name) ? `"${names.get(name)}":` : all);
  const changes: Readonly<Record<string, <M extends ProxiedReply | ProxiedRequest>(message: M) => M>> = {
    body: (message) => ({ ...message, body: first }),
    replace: (message) => ({ ...message, body: message.body.replace(new RegExp(first, 'g'), second) }),
    members: (message) => ({ ...message, body: message.body.replaceAll(/"(\w+)":/g, renamed) }),
    header: (message) => ({ ...message, headers: { ...message.headers, [first]: second } }),
    'no-header': (message) => {
      const { [first]: _, ...headers } = message.headers;
      return { ...message, headers };
    },
  };
  return changes[verb];
}

/** `409 state_conflict` is a refusal, `200 {…}` a reply with this JSON, and `405 -` an empty reply. */
function standIn(status: string, what = '-'): ProxiedReply {
  if (what === '-') return { status: Number(status), headers: {}, body: '' };
  return what.startsWith('{')
    ? faults.jsonReply(Number(status), JSON.parse(what))
    : faults.refusal(Number(status), what);
}

/**
 * `set a VALUE`, `default a VALUE`, `drop a`, `rename a b`, `unwrap a`, `cut a 100`, `change a FROM TO`, `text a`,
 * `number a`, `map a FUNCTION` and, of a list, `reverse a`, `remove a MEMBER VALUE`. `a.b` is a member inside another,
 * `a[].b` a member of every item of a list.
 */
function readChange(verb: string, [target = '', ...args]: readonly string[], values: ValueFunctions): Change {
  const [name = '', ...rest] = target.split('.');
  if (rest.length > 0) {
    const inner = readChange(verb, [rest.join('.'), ...args], values);
    return name.endsWith('[]')
      ? faults.changeInnerList(name.slice(0, -2), (list) => list.map(inner))
      : faults.changeInnerObject(name, inner);
  }
  const [first = '', second = ''] = args;
  const become = (next: (value: unknown, body: MutableObject) => unknown): Change => {
    return (body) => ({ ...body, [name]: next(body[name], body) });
  };
  const changes: Readonly<Record<string, () => Change>> = {
    set: () => become(() => readValue(first)),
    default: () => become((value) => value ?? readValue(first)),
    drop:
      () =>
      ({ [name]: _, ...others }) =>
        others,
    rename:
      () =>
      ({ [name]: value, ...others }) => ({ ...others, [first]: value }),
    unwrap: () => (body) => body[name],
    cut: () => become((value) => (isLong(value) ? value.slice(0, Number(first)) : value)),
    change: () => become((value) => (value === readValue(first) ? readValue(second) : value)),
    text: () => become((value) => (typeof value === 'number' ? String(value) : value)),
    number: () => become((value) => (typeof value === 'string' ? Number(value) : value)),
    map: () => (body) => (name in body ? { ...body, [name]: values[first]?.(body[name] as never, body) } : body),
    reverse: () => faults.changeInnerList(name, (list) => list.toReversed()),
    remove: () => faults.changeInnerList(name, (list) => list.filter((each) => each[first] !== readValue(second))),
  };
  const change = changes[verb]?.();
  if (change === undefined) throw new Error(`There is no change "${verb}".`);
  if (verb === 'map' && values[first] === undefined) throw new Error(`There is no function "${first}".`);
  return change;
}

/** Parses JSON, or makes a value for a word such as `now`. */
function readValue(text: string): unknown {
  if (text === 'undefined') return undefined;
  if (text === 'uuid') return randomUUID();
  if (text === 'now') return new Date().toISOString();
  if (text === 'tomorrow') return new Date(Date.now() + 86_400_000).toISOString();
  return JSON.parse(text);
}

function isLong(value: unknown): value is string | readonly unknown[] {
  return typeof value === 'string' || Array.isArray(value);
}
