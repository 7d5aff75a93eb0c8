import { parseFaults } from '../fault-language.ts';
import { type MutableObject, parseJsonObject } from '../faults.ts';
import * as frames from '../frame-faults.ts';

const payloadOf = (event: MutableObject) => parseJsonObject(JSON.stringify(event['payload'])) ?? {};
const isNewOrder = (event: MutableObject) => event['kind'] === 'order.changed' && payloadOf(event)['version'] === 1;

export const eventVariants = parseFaults(
  'choice',
  `
refuse a third connection at the handshake | third | = refusesThird
have another code for bad tokens | bad-token ended-token | close 4401 -> 4403
ignore a query beside a token | stream-query | = ignoresQuery
have something else where the slash is missing | stream-slash | = needsUpgrade
have no special code for large frames | large-frame | close 1009 -> 4400
have another code for frames that are no ack | no-ack | close 4400 -> 4403
ignore a repeated ack | second-ack two-connections | = ackedOnce
have the envelope inside of the payload | message-event | event message.created -> map payload wrapped
name nothing but the contact | contact-events | event contact. -> map payload contactAlone
send no event of a new order | order-events | = noNewOrders
send ten events without an ack | window | = narrow
send everything twice | stream-repeats | = doubled
send the newest event first | delivery-order | = swapped
send an event each 0.3 s |  | = spaced
free the slot of a closed connection late |  | = releasedLate
`,
  {
    wrapped: (envelope: unknown) => ({ envelope }),
    contactAlone: ({ contact_id: id }: MutableObject) => ({ contact_id: id }),
  },
  {
    refusesThird: {
      frames: {
        onUpgrade: (upgrade, open) =>
          open.filter(({ authorization }) => authorization === upgrade.authorization).length < 2 ? upgrade : 429,
      },
    },
    ignoresQuery: {
      frames: frames.changeHandshake(({ url, ...rest }) => ({ url: url.replace('?after=1', ''), ...rest })),
    },
    needsUpgrade: { frames: frames.changeHandshake((upgrade) => (upgrade.url.endsWith('/events') ? 426 : upgrade)) },
    ackedOnce: () => ({ frames: frames.ignoreRepeatedAcks() }),
    noNewOrders: () => ({ frames: frames.dropAndAcknowledge(isNewOrder) }),
    narrow: () => ({ frames: frames.limitInFlight(10) }),
    doubled: () => ({ frames: frames.sendEventsTwice() }),
    swapped: () => ({ frames: frames.reverseConcurrentEvents() }),
    spaced: () => ({ frames: frames.delayEvents(300) }),
    releasedLate: { frames: { releasesAfterMs: 300 } },
  },
);
