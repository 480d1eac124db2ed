/** Requests of a client: operations and subscriptions, strictly parsed from text. */
import type { Permission } from '../../src/domain/agents/agent.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { InputError } from '../problem.ts';
import { compileValidator, type Validator } from '../validation.ts';
import type { Channel } from './channels/channel.ts';
import { CHANNEL_NAMES, CHANNELS, findChannel } from './channels/index.ts';
import { type Position, parseCursor } from './position.ts';
import type { FeedPorts } from './feed-ports.ts';
import type { FeedErrorCode, RequestId } from './frames.ts';

/** Refusal of a request. */
interface FeedRefusal {
  readonly code: FeedErrorCode;
  readonly detail: string;
}

type Read<Value> = { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly refusal: FeedRefusal };

const refused = (code: FeedErrorCode, detail: string) => ({ ok: false, refusal: { code, detail } }) as const;

const VALIDATORS = new Map<string, Validator>(CHANNELS.map(({ name, params }) => [name, compileValidator(params, 'body')]));

/** A validated subscription request. */
export interface Wanted {
  readonly channel: Channel;
  readonly params: { readonly [name: string]: Json };
  /** Start, or null for now. */
  readonly from: Position | null;
}

/** Checks channel, parameters, permission, this service's ability to answer, and cursor, in this order. */
export function readWanted(
  input: { channel: unknown; params: unknown; from: unknown },
  permissions: readonly Permission[],
  hasOrganization: boolean,
  unanswerable: FeedPorts['unanswerable'],
): Read<Wanted> {
  if (typeof input.channel !== 'string') return refused('malformed', `channel: missing; send one of ${CHANNEL_NAMES.join(', ')}`);
  const channel = findChannel(input.channel);
  if (channel === null)
    return refused('unknown_channel', `there is no channel ${shown(input.channel)}; send one of ${CHANNEL_NAMES.join(', ')}`);
  const checked = (VALIDATORS.get(channel.name) as Validator)(input.params ?? {});
  if ('error' in checked)
    return refused(
      'invalid_params',
      `params of ${channel.name}: ${checked.error instanceof InputError ? checked.error.message : 'malformed'}`,
    );
  const params = checked.value as Wanted['params'];
  const problem = channel.kind === 'announcements' ? null : channel.problem(params);
  if (problem !== null) return refused('invalid_params', `params of ${channel.name}: ${problem}`);
  if (!permissions.includes(channel.permission))
    return refused('permission_missing', `the channel ${channel.name} needs ${channel.permission}`);
  if (channel.kind === 'announcements' && !hasOrganization) {
    return refused('permission_missing', `the channel ${channel.name} shows an organization's own, and this identity belongs to none`);
  }
  const reason = unanswerable?.(channel.name, params) ?? null;
  if (reason !== null) return refused('unavailable', reason);
  let from: Position | null = null;
  // Quotes are a state, not a history: a client that reconnects gets the newest, whatever it saw last.
  if (input.from !== undefined && input.from !== null && channel.kind === 'announcements') {
    from = typeof input.from === 'string' ? parseCursor(input.from) : null;
    if (from === null) return refused('invalid_cursor', 'from: not a cursor; take the `cursor` of the last frame that you have');
  }
  return { ok: true, value: { channel, params, from } };
}

export type Operation =
  | {
      readonly op: 'subscribe';
      readonly id: RequestId | undefined;
      readonly channel: unknown;
      readonly params: unknown;
      readonly from: unknown;
    }
  | { readonly op: 'unsubscribe'; readonly id: RequestId | undefined; readonly channel: string | undefined; readonly params: unknown }
  | { readonly op: 'ping'; readonly id: RequestId | undefined };

const FIELDS: { readonly [op: string]: readonly string[] } = {
  subscribe: ['op', 'id', 'channel', 'params', 'from'],
  unsubscribe: ['op', 'id', 'channel', 'params'],
  ping: ['op', 'id'],
};

/** Reads one message of a client. Returns its `id` even if the rest is invalid. */
export function readOperation(text: string): Read<Operation> & { readonly id?: RequestId | undefined } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused('malformed', 'not JSON; send an object such as { "op": "subscribe", "id": 1, "channel": "quotes" }');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('malformed', 'not a JSON object; send { "op": "subscribe" | "unsubscribe" | "ping", … }');
  }
  const message = value as { readonly [name: string]: unknown };
  const { op, id } = message;
  const isId = (typeof id === 'string' && id.length <= 64) || (typeof id === 'number' && Number.isFinite(id));
  if (id !== undefined && !isId) return refused('malformed', 'id: a number, or a text of at most 64 characters');
  const known = id as RequestId | undefined;
  if (typeof op !== 'string' || !Object.hasOwn(FIELDS, op)) {
    return { ...refused('unknown_op', `op: got ${shown(op)}; send subscribe, unsubscribe or ping`), id: known };
  }
  const stray = Object.keys(message).find((name) => !(FIELDS[op] as readonly string[]).includes(name));
  if (stray !== undefined)
    return {
      ...refused('malformed', `${shown(stray)}: unknown field; ${op} takes ${(FIELDS[op] as readonly string[]).join(', ')}`),
      id: known,
    };
  if (op === 'ping') return { ok: true, value: { op, id: known }, id: known };
  if (op === 'subscribe') {
    return { ok: true, value: { op, id: known, channel: message['channel'], params: message['params'], from: message['from'] }, id: known };
  }
  if (message['channel'] !== undefined && typeof message['channel'] !== 'string')
    return { ...refused('malformed', 'channel: a text'), id: known };
  return {
    ok: true,
    value: { op: 'unsubscribe', id: known, channel: message['channel'] as string | undefined, params: message['params'] },
    id: known,
  };
}

/** Returns a client's value for an answer, shortened to one line. */
function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80);
}
