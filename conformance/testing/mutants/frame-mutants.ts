import { parseFaults } from '../fault-language.ts';
import type { MutableObject } from '../faults.ts';
import * as frames from '../frame-faults.ts';
import type { FrameFault, ProxiedUpgrade } from '../passing.ts';

const isMessage = ({ kind }: MutableObject) => kind === 'message.created';
const isOrder = ({ kind }: MutableObject) => kind === 'order.changed';

export const frameMutants = parseFaults(
  'events',
  `
there is no stream | bearer slash | handshake -> 404
the stream requires another protocol | bearer | handshake -> 426
no token is accepted | bearer | = noAgent
the first agent that connects is taken for the second | bearer | = takenForSecond
pings are not answered | pings | = deaf
the path needs no slash | slash | = noSlash
every client is accepted | tokens | = sharedIdentity
a client without a token is not disconnected | tokens | close 4401 -> none
a bad token ends a connection normally | tokens | close 4401 -> 1000
a bad token counts as a limit | tokens | close 4401 -> 4429
a connection outlives its token | rotated revoked | close 4401 -> none
a token is taken from the address | url | = tokenFromUrl
the third connection ends normally | third | close 4429 -> 1000
the third connection ends with a protocol error | third | close 4429 -> 4400
the third connection is not disconnected | third | close 4429 -> none
a lost connection keeps its slot | third | = keepsLost
no messages arrive | form waiting ack | = noMessages
an event has no id | form backlog | event -> drop event_id
an event has another type | form | event -> set type "message"
an event is wrapped | form | = wrapped
acks are answered with ok | ack | acked -> set type "ok"
acks are answered and lost | settled | = forgotten
messages arrive forever | settled suppressed | = messagesForEver
events are acknowledged early | again | = earlyAcked
foreign acks are answered | foreign-ack | = foreignAcked
a foreign ack ends a connection normally | foreign-ack | close 4400 -> 1000
any frame that names an event acknowledges it | malformed | = anythingAcks
a malformed frame ends a connection as a limit | malformed | close 4400 -> 4429
events are sent to strangers | strangers order-changed | = toEveryone
the event of an order calls its status state | order-changed | event order.changed -> rename payload.status state
the event of an order has another status | order-changed | event order.changed -> set payload.status "open"
the event of an order is a version ahead | order-changed | event order.changed -> map payload.version next
the event of a rejected order calls it cancelled | order-lifecycle | event order.changed -> change payload.status "rejected" "cancelled"
the event of an order tells the price | order-changed | event order.changed -> set payload.total_minor 1
the event of an order tells the title | order-changed | event order.changed -> set payload.title ""
orders are forgotten after a block | orders-stay | = ordersOnce
`,
  {
    next: (version: unknown) => Number(version) + 1,
  },
  {
    noAgent: () => ({ frames: frames.changeHandshake(({ url }) => ({ url, authorization: undefined })) }),
    deaf: { frames: { isDeaf: true } },
    keepsLost: { frames: { keepsLost: true } },
    takenForSecond: () => ({ frames: takenForSecond() }),
    noSlash: () => ({
      frames: frames.changeHandshake(({ url, ...rest }) => ({ url: url.replace(/events$/, 'events/'), ...rest })),
    }),
    sharedIdentity: () => ({ frames: frames.shareIdentity() }),
    tokenFromUrl: () => ({ frames: frames.changeHandshake(tokenFromUrl) }),
    noMessages: () => ({ frames: frames.dropEvents(isMessage) }),
    wrapped: () => ({ frames: frames.changeEvents((event) => ({ event })) }),
    forgotten: () => ({ frames: frames.forgetAcks() }),
    messagesForEver: () => ({ frames: frames.redeliverForever(isMessage) }),
    earlyAcked: () => ({ frames: frames.acknowledgeEarly() }),
    foreignAcked: () => ({ frames: frames.acceptForeignAcks() }),
    anythingAcks: () => ({ frames: frames.acceptAnyAck() }),
    toEveryone: () => ({ frames: frames.sendToEveryone() }),
    ordersOnce: () => ({ frames: frames.sendEventsOnce(isOrder) }),
  },
);

function takenForSecond(): FrameFault {
  const tokens: (string | undefined)[] = [];
  return frames.changeHandshake((upgrade) => {
    if (!tokens.includes(upgrade.authorization)) tokens.push(upgrade.authorization);
    const [first, second] = tokens;
    return second !== undefined && upgrade.authorization === first ? { ...upgrade, authorization: second } : upgrade;
  });
}

function tokenFromUrl({ url, authorization }: ProxiedUpgrade) {
  const token = /\?token=(.*)$/.exec(url)?.[1];
  return token === undefined
    ? { url, authorization }
    : { url: url.split('?')[0] ?? '', authorization: `Bearer ${token}` };
}
