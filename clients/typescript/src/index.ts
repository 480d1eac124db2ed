/** Client of the Sevengate API: typed calls of every operation, lists and feeds as async iterables. For Node 20 and browsers. */
export type * from './api.ts';
export type * from './feed-messages.ts';
export {
  type Call,
  type CallOptions,
  type Calls,
  type Client,
  type ClientOptions,
  createClient,
  type ListCall,
  type Socket,
} from './client.ts';
export { ApiError, FeedError, type FieldError, NetworkError, type NetworkFailure, SevengateError } from './errors.ts';
export type { Channel, ChannelParams, Feed, FeedItem, FeedOptions, Frame } from './feed.ts';
export type { OperationName } from './operation.ts';
export { type ReplaySlot, type ReplayStrategy, type ReplayTrade, runReplay } from './replay.ts';
export type { Stream } from './streams.ts';
export type { Timing } from './timing.ts';
export type { Token } from './transport.ts';
