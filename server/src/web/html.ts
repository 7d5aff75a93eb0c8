import { html as escapeInto, raw } from 'hono/html';

declare const escaped: unique symbol;

/** Markup whose texts are escaped. */
export interface Html {
  readonly [escaped]: true;
}

/** A value in a template: texts are escaped, and undefined renders nothing. */
type Shown = string | number | undefined | Html | readonly (string | Html)[];

/** Templates must quote attributes with `"`, and must not insert texts into tag names, scripts or styles. */
export function html(template: TemplateStringsArray, ...values: readonly Shown[]): Html {
  return escapeInto(template, ...values) as unknown as Html;
}

/** Data for scripts inside a page, as JSON that cannot open or close a tag. */
export function embedJson(value: object): Html {
  return raw(JSON.stringify(value).replaceAll('<', '\\u003c')) as unknown as Html;
}
