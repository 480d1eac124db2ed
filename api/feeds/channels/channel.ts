/** Definition of a feed channel: who may receive it, its filters and the source of its frames. */
import { type TObject, type TSchema, Type } from 'typebox';
import type { AnnouncementRow } from '../../../src/adapters/store/actors/announced-rows.ts';
import type { Permission } from '../../../src/domain/agents/agent.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import type { FeedPorts } from '../feed-ports.ts';

/** One item of an announcement, ready for the wire. */
export interface FeedItem {
  /** Place inside the announcement; null if the announcement is the item. */
  readonly index: number | null;
  readonly actorId: string | null;
  readonly data: Json;
}

interface ChannelBase {
  readonly name: string;
  /** One sentence for the documentation. */
  readonly about: string;
  /** Permission to subscribe, read from the database at the subscription and again every few seconds. */
  readonly permission: Permission;
  /** Strict: an unknown parameter is an error. */
  readonly params: TObject;
  /** Schema of an update, and of one item in the snapshot of a conflated channel. The feed's document and the clients' types use it. */
  readonly item: TSchema;
}

/** Conflated: the newest wins, nothing is resumed, everybody with the permission sees the same. */
export interface QuoteChannel extends ChannelBase {
  readonly kind: 'quotes';
  /** Names a fault of parameters that have the right shape, in words, or null. */
  problem(params: { readonly [name: string]: Json }): string | null;
}

/** First frame of a subscription to announcements. */
export interface FirstFrame {
  readonly body: TSchema;
  read(ports: FeedPorts, orgId: string, actorId: string | null): Promise<Json | readonly object[]>;
}

/** A channel that never drops: every announcement of the caller's organization, in order, resumable by cursor. */
export interface AnnouncementChannel extends ChannelBase {
  readonly kind: 'announcements';
  /** The parameter that narrows it down to one actor. */
  readonly actorParam: string;
  /** True if rows that name no organization are for everybody. */
  readonly shared: boolean;
  /** First message to a client that does not resume; null if only changes are sent. */
  readonly snapshot: FirstFrame | null;
  /** The items of an announcement that stands for many; null if it is its own item. Always the same items in the same order. */
  readonly expand: ((ports: FeedPorts, row: AnnouncementRow, orgId: string) => Promise<readonly FeedItem[]>) | null;
}

/** One thing that changed: `key` is what it replaces, `json` writes it when it is sent. */
export interface ChangedState {
  readonly key: string;
  json(): string;
}

/** Source of the latest states for one set of parameters. It lives as long as it has subscribers. */
export interface LatestSource {
  /** Resolves once a snapshot can be taken; null if it can at once. */
  readonly ready: Promise<void> | null;
  /** Returns the whole present state, each item as JSON. */
  snapshot(): readonly string[];
  /** Adds the one listener. The answer ends the source. */
  subscribe(listener: (changed: readonly ChangedState[]) => void): () => void;
}

/** Conflated like quotes: the newest wins, nothing is resumed, everybody with the permission sees the same. */
export interface LatestChannel extends ChannelBase {
  readonly kind: 'latest';
  /** Names a fault of parameters that have the right shape, in words, or null. */
  problem(params: { readonly [name: string]: Json }): string | null;
  open(ports: FeedPorts, params: { readonly [name: string]: Json }): LatestSource;
}

export type Channel = QuoteChannel | AnnouncementChannel | LatestChannel;

/** An actor's or a record's id. */
const UUID = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';

/** A channel whose announcements are sent as they are, each belonging to one actor. */
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
