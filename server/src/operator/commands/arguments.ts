import Type from 'typebox';

/** An agent, by handle or id. */
export const AgentName = Type.String({
  title: 'handle or id',
  minLength: 1,
  maxLength: 64,
  description: 'the handle or the id of an agent',
});

/** The size of a page. */
export const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1_000, description: 'maximum number of entries, 1 to 1000; default 100' }),
);
