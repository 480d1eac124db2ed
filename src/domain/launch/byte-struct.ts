/** Byte structures of the primary chain's programs: consecutive fields, with little-endian numbers. */
import { base58, fromBase58 } from '../solana/base58.ts';

/** Type of a field. A number means that many plain bytes. */
type FieldType = 'u8' | 'u16' | 'u32' | 'u64' | 'u128' | 'key' | number;
type FieldValue<Type extends FieldType> = Type extends 'u8' | 'u16' | 'u32'
  ? number
  : Type extends 'u64' | 'u128'
    ? bigint
    : Type extends 'key'
      ? string
      : Uint8Array;
type Fields = readonly (readonly [name: string, type: FieldType])[];
/** Values of a structure by name. */
type StructOf<Of extends Fields> = { [Field in Of[number] as Field[0]]: FieldValue<Field[1]> };

const BYTES: Readonly<Record<Exclude<FieldType, number>, number>> = { u8: 1, u16: 2, u32: 4, u64: 8, u128: 16, key: 32 };
const byteLength = (type: FieldType): number => (typeof type === 'number' ? type : BYTES[type]);

/** Reads a little-endian number of the given length. */
export function readUint(bytes: Uint8Array, at: number, length: number): bigint {
  let value = 0n;
  for (let index = length - 1; index >= 0; index--) value = (value << 8n) | BigInt(bytes[at + index] as number);
  return value;
}

/** Writes a little-endian number. @throws RangeError if it does not fit. */
export function writeUint(value: bigint, bytes: Uint8Array, at: number, length: number): void {
  if (value < 0n || value >> BigInt(8 * length) !== 0n) throw new RangeError(`${value} does not fit into ${length} bytes`);
  for (let index = 0, rest = value; index < length; index++, rest >>= 8n) bytes[at + index] = Number(rest & 0xffn);
}

export function byteStruct<const Of extends Fields>(fields: Of) {
  type Value = StructOf<Of>;
  const places = new Map<string, number>();
  let size = 0;
  for (const [name, type] of fields) {
    places.set(name, size);
    size += byteLength(type);
  }

  /** Reads the structure. @throws RangeError if the bytes are too short. */
  function read(bytes: Uint8Array, at = 0): Value {
    if (at + size > bytes.length) throw new RangeError(`${size} bytes are needed at ${at}, and there are ${bytes.length}`);
    const value: Record<string, unknown> = {};
    for (const [name, type] of fields) {
      const from = at + (places.get(name) as number);
      if (typeof type === 'number') value[name] = bytes.slice(from, from + type);
      else if (type === 'key') value[name] = base58(bytes.subarray(from, from + 32));
      else {
        const found = readUint(bytes, from, BYTES[type]);
        value[name] = type === 'u64' || type === 'u128' ? found : Number(found);
      }
    }
    return value as Value;
  }

  /** Writes the given fields. The others stay unchanged. @throws RangeError if a number does not fit. */
  function write(value: Partial<Value>, bytes: Uint8Array, at = 0): Uint8Array {
    const given = value as Record<string, unknown>;
    for (const [name, type] of fields) {
      const field = given[name];
      if (field === undefined) continue;
      const to = at + (places.get(name) as number);
      if (typeof type === 'number') bytes.set(field as Uint8Array, to);
      else if (type === 'key') bytes.set(keyBytes(field as string), to);
      else writeUint(BigInt(field as number | bigint), bytes, to, BYTES[type]);
    }
    return bytes;
  }

  return {
    size,
    read,
    write,
    /** Encodes the structure on its own. Missing fields are zero. */
    encode: (value: Partial<Value>): Uint8Array => write(value, new Uint8Array(size)),
    /** Returns the offset of a field. */
    offsetOf: (name: keyof Value & string): number => places.get(name) as number,
  };
}

/** Returns the 32 bytes of an address. @throws RangeError if the text is not an address. */
export function keyBytes(address: string): Uint8Array {
  const bytes = fromBase58(address);
  if (bytes === null || bytes.length !== 32) throw new RangeError(`${JSON.stringify(address.slice(0, 50))} is not an address`);
  return bytes;
}

/** Encodes a text with a length prefix of four bytes. */
export function lengthAndText(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const whole = new Uint8Array(4 + bytes.length);
  writeUint(BigInt(bytes.length), whole, 0, 4);
  whole.set(bytes, 4);
  return whole;
}

/** Concatenates bytes. */
export function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
