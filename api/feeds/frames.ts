/** Wire format of the feeds: frame texts, and their encoding as websocket frames and server-sent events. */
import { Sender } from 'ws';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import { type EpochMs, isoTime } from '../../src/domain/values/time.ts';

declare module 'ws' {
  /** Public class of `ws` that is missing in its published types. */
  export class Sender {
    static frame(
      data: Buffer,
      options: {
        readonly fin: boolean;
        readonly rsv1: boolean;
        readonly opcode: number;
        readonly mask: boolean;
        readonly readOnly: boolean;
      },
    ): Buffer[];
  }
}

/** Codes of error frames. Never rename a published one. */
export const FEED_ERROR_CODES = [
  'malformed',
  'unknown_op',
  'unknown_channel',
  'invalid_params',
  'invalid_cursor',
  'permission_missing',
  'already_subscribed',
  'not_subscribed',
  'subscription_limit',
  'rate_limited',
  'token_expired',
  'token_revoked',
  'lagged',
  'unavailable',
] as const;
export type FeedErrorCode = (typeof FEED_ERROR_CODES)[number];

/** Close codes of the service's sockets. */
export const CLOSE = {
  tokenExpired: 4001,
  tokenRevoked: 4002,
  permissionLost: 4003,
  lagged: 4008,
  rateLimited: 4029,
  restarting: 1012,
  tryAgainLater: 1013,
} as const;

/** Client-chosen id of a request, returned in its answer. */
export type RequestId = string | number;

/** Transport of a connection's frames. */
export type Wire = 'websocket' | 'sse';

/**
 * A frame without its number: members of a group may be at different numbers, and the rest is encoded once. The text is `before + seq +
 * after`.
 */
export interface FrameText {
  readonly before: string;
  readonly after: string;
  /** Cursor of the frame, or null if its channel cannot be resumed. */
  readonly cursor: string | null;
}

/** Returns a frame of a channel around `data`, which is JSON. */
export function channelFrame(
  channel: string,
  type: 'snapshot' | 'update' | 'lagged',
  cursor: string | null,
  at: EpochMs,
  data: string,
): FrameText {
  const carried = cursor === null ? 'null' : `"${cursor}"`;
  return {
    before: `{"channel":"${channel}","type":"${type}","seq":`,
    after: `,"cursor":${carried},"at":"${isoTime(at)}","data":${data}}`,
    cursor,
  };
}

export function frameText(frame: FrameText, seq: number): string {
  return `${frame.before}${seq}${frame.after}`;
}

/** Returns an error frame. `detail` says what was wrong and what would be right. */
export function errorFrame(code: FeedErrorCode, detail: string, at: EpochMs, about: { id?: RequestId; channel?: string } = {}): string {
  return JSON.stringify({
    ...(about.id === undefined ? {} : { id: about.id }),
    ...(about.channel === undefined ? {} : { channel: about.channel }),
    type: 'error',
    code,
    detail,
    at: isoTime(at),
    data: { code, detail },
  });
}

/** Returns an answer to an operation of the client. */
export function answerFrame(
  id: RequestId | undefined,
  type: 'subscribed' | 'unsubscribed' | 'pong',
  at: EpochMs,
  more: { readonly [key: string]: Json } = {},
): string {
  return JSON.stringify({ ...(id === undefined ? {} : { id }), type, ...more, at: isoTime(at) });
}

export function heartbeatFrame(at: EpochMs): string {
  return `{"type":"heartbeat","at":"${isoTime(at)}"}`;
}

/** Options of a text message in one frame. A server's frames are not masked. */
const TEXT_FRAME = { fin: true, rsv1: false, opcode: 0x01, mask: false, readOnly: true } as const;

/** Returns texts as one buffer of websocket text frames, framed by `ws`. */
export function websocketBytes(texts: readonly string[]): Buffer {
  return Buffer.concat(texts.flatMap((text) => Sender.frame(Buffer.from(text), TEXT_FRAME)));
}

/** Returns a text as a server-sent event. JSON contains no line breaks. */
export function sseEvent(text: string, cursor: string | null): string {
  return cursor === null ? `data: ${text}\n\n` : `id: ${cursor}\ndata: ${text}\n\n`;
}

/** Returns frames, numbered from `firstSeq` on, as the bytes of one write. */
export function renderFrames(wire: Wire, frames: readonly FrameText[], firstSeq: number): Buffer {
  if (wire === 'websocket') return websocketBytes(frames.map((frame, index) => frameText(frame, firstSeq + index)));
  let text = '';
  for (const [index, frame] of frames.entries()) text += sseEvent(frameText(frame, firstSeq + index), frame.cursor);
  return Buffer.from(text);
}
