/** Routes of the feeds, for the OpenAPI document and the permission table. `registerFeeds` serves them. */
import { Type } from 'typebox';
import { defineRoute, type RouteGroup } from '../route.ts';
import { choice, IdText } from '../shapes.ts';
import type { Channel } from './channels/channel.ts';
import { CHANNEL_NAMES, CHANNELS } from './channels/index.ts';

const servedByFeeds = (): never => {
  throw new Error('the feed routes are registered by registerFeeds');
};

/** Names the channels that have a property, such as "a, b and c". */
function listNames(has: (channel: Channel) => boolean, quote = ''): string {
  const names = CHANNELS.filter(has).map(({ name }) => `${quote}${name}${quote}`);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

const forEverybody = listNames(({ permission }) => permission === 'market:read');
const newestOnly = listNames(({ kind }) => kind !== 'announcements', '`');

const ChannelWord = choice(
  [...CHANNEL_NAMES],
  `Each channel needs its own permission: \`market:read\` for ${forEverybody}, \`agent:read\` for the rest.`,
);

const socket = defineRoute({
  method: 'GET',
  url: '/v1/feeds',
  name: 'openFeeds',
  tag: 'feeds',
  summary: 'Opens a websocket that carries every channel',
  description: `Send \`{ "op": "subscribe", "id": 1, "channel": "quotes", "params": {}, "from": "<cursor>" }\`, \`unsubscribe\` or \`ping\`. Frames are \`{ channel, type, seq, cursor, at, data }\`. ${newestOnly} show the newest state, first all of it, then what changes. All other channels never drop; a client that fell behind resumes from its cursor.`,
  permission: 'identity',
  cost: 'read',
  schema: {},
  answers: { 101: { description: 'The socket is open.' } },
  refusals: ['malformed', 'origin_refused'],
  handle: servedByFeeds,
});

const inspector = defineRoute({
  method: 'GET',
  url: '/v1/feeds/inspector',
  name: 'openInspector',
  tag: 'feeds',
  summary: "Opens a websocket that speaks Stately's inspection protocol",
  description:
    'Text frames of JSON as `@statelyai/inspect` 0.7 reads them: `@xstate.actor` with the machine and where the actor stands, then `@xstate.event` and `@xstate.snapshot` for every committed step. Without `actorId` it begins with the newest running actors of the organization and goes on with all of them. `npx sevengate inspect` relays it to visualisers that know an address only.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: Type.Object({
      actorId: Type.Optional(IdText),
      from: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Version of one actor after which its steps are told first; 0 for all.' }),
      ),
    }),
  },
  answers: { 101: { description: 'The socket is open.' } },
  refusals: ['malformed', 'origin_refused'],
  handle: servedByFeeds,
});

const events = defineRoute({
  method: 'GET',
  url: '/v1/feeds/sse',
  name: 'streamEvents',
  tag: 'feeds',
  summary: 'One channel as server-sent events',
  description: "The channel's parameters stand beside it in the query. `Last-Event-ID` resumes without loss or repeat.",
  permission: 'identity',
  cost: 'read',
  schema: {
    querystring: Type.Object({
      channel: ChannelWord,
      from: Type.Optional(Type.String({ description: 'A cursor, where Last-Event-ID cannot be sent.' })),
    }),
  },
  answers: { 200: { description: 'The stream.', contentType: 'text/event-stream' } },
  refusals: ['permission_missing'],
  handle: servedByFeeds,
});

export const feedRoutes: RouteGroup = {
  tag: {
    name: 'feeds',
    position: 290,
    description:
      'Live updates over WebSocket or server-sent events. Subscribe, apply the snapshot, then the updates in the order of `seq`. After a lost connection subscribe again from the last `cursor`. A client that reads too slowly is closed with `lagged` and resumes the same way.',
  },
  routes: [socket, inspector, events],
};
