/** Definition of a feed channel: its permission, its filters and the source of its frames. */
import { type TObject, type TSchema, Type } from 'typebox';
import type { AnnouncementRow } from '../../../src/adapters/store/actors/announced-rows.ts';
import type { Permission } from '../../../src/domain/agents/agent.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import type { FeedPorts } from '../feed-ports.ts';

/** One item of an announcement, ready to be sent. */
export interface FeedItem {
  /** Index in the announcement, or null if the announcement is the item. */
  readonly index: number | null;
  readonly actorId: string | null;
  readonly data: Json;
}

interface ChannelBase {
  readonly name: string;
  /** One sentence for the documentation. */
  readonly about: string;
  /** Permission to subscribe, read at the subscription and again every few seconds. */
  readonly permission: Permission;
  /** Closed schema of the parameters: an unknown one is an error. */
  readonly params: TObject;
  /** Schema of an update, and of an item in the snapshot of a conflated channel, for the feed's document and the clients' types. */
  readonly item: TSchema;
}

/** Conflated channel of quotes: the newest wins, nothing is resumed, and everybody with the permission sees the same. */
export interface QuoteChannel extends ChannelBase {
  readonly kind: 'quotes';
  /** Returns what is wrong with well-formed parameters, or null. */
  problem(params: { readonly [name: string]: Json }): string | null;
}

/** First frame of a subscription to announcements. */
interface FirstFrame {
  readonly body: TSchema;
  read(ports: FeedPorts, orgId: string, actorId: string | null): Promise<Json | readonly object[]>;
}

/** A channel that never drops: every announcement of the caller's organization, in order, resumable by cursor. */
export interface AnnouncementChannel extends ChannelBase {
  readonly kind: 'announcements';
  /** Parameter that restricts it to one actor. */
  readonly actorParam: string;
  /** True if rows without an organization are for everybody. */
  readonly shared: boolean;
  /** First message to a client that does not resume, or null if only changes are sent. */
  readonly snapshot: FirstFrame | null;
  /** Returns the items of an announcement that contains many, always the same and in the same order. Null if it is its own item. */
  readonly expand: ((ports: FeedPorts, row: AnnouncementRow, orgId: string) => Promise<readonly FeedItem[]>) | null;
}

/** A change. `key` is what it replaces, `json` encodes it when it is sent. */
export interface ChangedState {
  readonly key: string;
  json(): string;
}

/** Source of the newest states for one set of parameters. It lives while it has subscribers. */
export interface LatestSource {
  /** Resolves once a snapshot is available, or null if it already is. */
  readonly ready: Promise<void> | null;
  /** Returns the whole present state, each item as JSON. */
  snapshot(): readonly string[];
  /** Sets the only listener. Returns a function that ends the source. */
  subscribe(listener: (changed: readonly ChangedState[]) => void): () => void;
}

/** Conflated channel like quotes: the newest wins, nothing is resumed, and everybody with the permission sees the same. */
export interface LatestChannel extends ChannelBase {
  readonly kind: 'latest';
  /** Returns what is wrong with well-formed parameters, or null. */
  problem(params: { readonly [name: string]: Json }): string | null;
  open(ports: FeedPorts, params: { readonly [name: string]: Json }): LatestSource;
}

export type Channel = QuoteChannel | AnnouncementChannel | LatestChannel;

/** Pattern of an actor's or a record's id. */
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** Returns a channel whose announcements are sent unchanged, each belonging to one actor. */
export function announcementChannel(
  channel: Pick<AnnouncementChannel, 'name' | 'about' | 'actorParam' | 'item'> &
    Partial<Pick<AnnouncementChannel, 'shared' | 'snapshot' | 'expand'>>,
): AnnouncementChannel {
  return {
    kind: 'announcements',
    name: channel.name,
    about: channel.about,
    permission: 'agent:read',
    params: Type.Object({ [channel.actorParam]: Type.Optional(Type.String({ pattern: UUID })) }, { additionalProperties: false }),
    item: channel.item,
    actorParam: channel.actorParam,
    shared: channel.shared ?? false,
    snapshot: channel.snapshot ?? null,
    expand: channel.expand ?? null,
  };
}
