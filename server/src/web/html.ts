import { html as escapeInto, raw } from 'hono/html';

declare const escaped: unique symbol;

/** Markup whose texts are escaped. */
export interface Html {
  readonly [escaped]: true;
}

/** A value in a template: texts are escaped, undefined shows nothing, and nothing else is taken. */
type Shown = string | number | undefined | Html | readonly (string | Html)[];

/** Writes markup. Attributes are quoted with `"`, and a text is never a part of a tag's name, a script or a style. */
export function html(template: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return escapeInto(template, ...values) as unknown as Html;
}

/** Data for programs inside a page, as JSON in which no tag can begin or end. */
export function jsonInPage(value: object): Html {
  return raw(JSON.stringify(value).replaceAll('<', '\\u003c')) as unknown as Html;
}
