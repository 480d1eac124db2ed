/** The AsyncAPI 3 document of the websocket: every message of the client and every frame of the service, from the channel definitions. */
import { type TSchema, Type } from 'typebox';
import type { Channel } from '../feeds/channels/channel.ts';
import { CHANNELS } from '../feeds/channels/index.ts';
import { CLOSE, FEED_ERROR_CODES } from '../feeds/frames.ts';
import { HEARTBEAT_MS } from '../feeds/watch.ts';
import { schemaComponents } from './schema-components.ts';
import { choice, nullable, objectSchema, Time } from '../shapes.ts';

type Node = { readonly [key: string]: unknown };

const RequestId = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  description: 'Names the request; it comes back in the answer.',
});
const Seq = Type.Integer({ minimum: 0, description: 'Ascends by one with each frame of a subscription.' });
const Cursor = nullable('string', 'Position to resume from after a lost connection, or null if the channel shows the newest state only.');

/** Cursors between which a client that fell behind must read. */
const Lagged = objectSchema({ from: Type.String(), to: Type.String() });

const ABOUT = `One connection carries every channel. \`subscribe\` is answered with \`subscribed\`, then come a \`snapshot\` and \`update\`s, or the changes alone. The service sends a \`heartbeat\` every ${HEARTBEAT_MS / 1_000} s: after a longer silence the connection is lost. Close codes: ${Object.entries(
  CLOSE,
)
  .map(([name, code]) => `${code} ${name}`)
  .join(', ')}.`;

interface Message {
  readonly title: string;
  readonly payload: TSchema;
  readonly from: 'client' | 'service';
}

/** Returns the document, derived from the channels. @param version Version of the service. */
export function asyncApiDocument(version: string): Node {
  const messages: { readonly [name: string]: Message } = { ...PLAIN, ...Object.assign({}, ...CHANNELS.map(listMessages)) };
  const names = Object.keys(messages);
  const { convert, all: schemas } = schemaComponents();
  const described = Object.entries(messages).map(
    ([name, { title, payload }]) => [name, { name, title, payload: convert(payload) }] as const,
  );
  const of = (from: Message['from']) =>
    names.filter((name) => messages[name]?.from === from).map((name) => ({ $ref: `#/channels/feeds/messages/${name}` }));
  return {
    asyncapi: '3.0.0',
    info: { title: 'Sevengate feeds', version, description: ABOUT },
    defaultContentType: 'application/json',
    servers: {
      local: {
        host: '127.0.0.1:8080',
        protocol: 'ws',
        description: 'Address of a local start. A token in `Authorization: Bearer` or the session cookie opens the socket.',
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    channels: {
      feeds: {
        address: '/v1/feeds',
        description: ABOUT,
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { ws: { method: 'GET' } },
      },
    },
    operations: {
      ask: {
        action: 'receive',
        channel: { $ref: '#/channels/feeds' },
        summary: 'Messages that a client may send.',
        messages: of('client'),
      },
      tell: { action: 'send', channel: { $ref: '#/channels/feeds' }, summary: 'Messages that a client receives.', messages: of('service') },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      messages: Object.fromEntries(described),
      schemas: schemas(),
    },
  };
}

/** Operations, answers and heartbeats that belong to no channel. */
const PLAIN: { readonly [name: string]: Message } = {
  unsubscribe: {
    title: 'Ends subscriptions: by id, by channel, or by channel and parameters',
    from: 'client',
    payload: objectSchema({
      op: Type.Literal('unsubscribe'),
      id: Type.Optional(RequestId),
      channel: Type.Optional(Type.String()),
      params: Type.Optional(Type.Object({}, { additionalProperties: true })),
    }),
  },
  ping: { title: 'Asks for a pong', from: 'client', payload: objectSchema({ op: Type.Literal('ping'), id: Type.Optional(RequestId) }) },
  subscribed: {
    title: 'A subscription was accepted; its frames follow',
    from: 'service',
    payload: objectSchema({
      id: Type.Optional(RequestId),
      type: Type.Literal('subscribed'),
      channel: choice(CHANNELS.map(({ name }) => name)),
      seq: Seq,
      cursor: Cursor,
      at: Time,
    }),
  },
  unsubscribed: {
    title: 'Subscriptions were ended',
    from: 'service',
    payload: objectSchema({
      id: Type.Optional(RequestId),
      type: Type.Literal('unsubscribed'),
      channels: Type.Array(Type.String()),
      at: Time,
    }),
  },
  pong: {
    title: 'The answer to a ping',
    from: 'service',
    payload: objectSchema({ id: Type.Optional(RequestId), type: Type.Literal('pong'), at: Time }),
  },
  heartbeat: { title: 'A sign of life', from: 'service', payload: objectSchema({ type: Type.Literal('heartbeat'), at: Time }) },
  error: {
    title: 'A request was refused',
    from: 'service',
    payload: objectSchema({
      id: Type.Optional(RequestId),
      channel: Type.Optional(Type.String()),
      type: Type.Literal('error'),
      code: choice(FEED_ERROR_CODES),
      detail: Type.String({ description: 'The problem, the value, and what to do.' }),
      at: Time,
      data: objectSchema({ code: choice(FEED_ERROR_CODES), detail: Type.String() }),
    }),
  },
};

function listMessages(channel: Channel): { readonly [name: string]: Message } {
  const { name, about, params, permission, item } = channel;
  const resumes = channel.kind === 'announcements';
  const frame = (type: string, data: TSchema): TSchema =>
    objectSchema({ channel: Type.Literal(name), type: Type.Literal(type), seq: Seq, cursor: Cursor, at: Time, data });
  const first = resumes ? channel.snapshot?.body : Type.Array(item);
  return {
    [`${name}_subscribe`]: {
      title: `Subscribes to ${name} (${permission}): ${about}`,
      from: 'client',
      payload: objectSchema({
        op: Type.Literal('subscribe'),
        id: Type.Optional(RequestId),
        channel: Type.Literal(name),
        params: Type.Optional(params),
        ...(resumes ? { from: Type.Optional(Cursor) } : {}),
      }),
    },
    ...(first === undefined
      ? {}
      : { [`${name}_snapshot`]: { title: `${name}: all of it`, from: 'service' as const, payload: frame('snapshot', first) } }),
    [`${name}_update`]: { title: `${name}: what changed`, from: 'service', payload: frame('update', item) },
    ...(resumes
      ? {
          [`${name}_lagged`]: {
            title: `${name}: the client fell behind and resumes from here`,
            from: 'service' as const,
            payload: frame('lagged', Lagged),
          },
        }
      : {}),
  };
}
