import { defineEntity, p } from '@mikro-orm/core';

/** What the operator chose while servers ran, for every instance at once: the registration mode. */
export const PlatformChoicesTable = defineEntity({
  name: 'PlatformChoiceRow',
  tableName: 'platform_choices',
  properties: {
    name: p.text().primary(),
    value: p.text(),
    updated_at: p.datetime(3),
  },
});
