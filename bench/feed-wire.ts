/** Bytes of a feed client: its upgrade and its messages, for clients that must cost little. */
import { websocketBytes } from '../api/feeds/frames.ts';

/** Returns the request for a feed's websocket. @param headers further lines, each with its line break */
export function upgradeRequest(headers = ''): string {
  return `GET /v1/feeds HTTP/1.1\r\nhost: bench\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`;
}

/** Masks a client's frame with zeros, so that the text is unchanged. */
export function maskedFrame(text: string): Buffer {
  const plain = websocketBytes([text]);
  const head = plain.length - Buffer.byteLength(text);
  const first = Buffer.from(plain.subarray(0, head));
  first[1] = (first[1] as number) | 0x80;
  return Buffer.concat([first, Buffer.alloc(4), plain.subarray(head)]);
}

/** Answer to a ping. */
export const PONG = Buffer.from([0x8a, 0x80, 0, 0, 0, 0]);

/** Calls back for each whole frame of a server, and returns the rest of the bytes. */
export function eachFrame(bytes: Buffer, call: (opcode: number, payload: Buffer) => void): Buffer {
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = (bytes[at + 1] as number) & 0x7f;
    const head = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length - at < head) break;
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    if (bytes.length - at < head + length) break;
    call((bytes[at] as number) & 0x0f, bytes.subarray(at + head, at + head + length));
    at += head + length;
  }
  return at === 0 ? bytes : bytes.subarray(at);
}
