/** Compares the instruction that moves the amount on the primary chain with the requested one, field by field. */
import { base58 } from '../solana/base58.ts';
import { listAccounts, type WireMessage } from '../solana/message.ts';
import { COMPUTE_BUDGET_PROGRAM, namedProgram, programWords } from '../solana/programs.ts';

/** Required content of the only instruction. Plain JSON. */
export interface SourceCall {
  readonly program: string;
  /** Accounts in the order of the instruction, each with its role. */
  readonly accounts: readonly { readonly name: string; readonly address: string }[];
  /** Parts of its data, in order. */
  readonly data: readonly CallField[];
}

/** Part of an instruction's data. `form` says how it is shown: as a little-endian number, an address or plain bytes. */
interface CallField {
  readonly name: string;
  readonly hex: string;
  readonly form: 'number' | 'address' | 'bytes';
}

/**
 * Returns why a message does not carry out exactly this call, or null if it does. Besides the call, whose program, accounts and data must
 * match, it may only set its compute budget.
 */
export function sourceCallObjection(
  message: Pick<WireMessage, 'staticKeys' | 'instructions' | 'lookups'>,
  call: SourceCall,
): string | null {
  if (message.lookups.length > 0) return 'it takes addresses out of lookup tables';
  const rest = message.instructions.filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM);
  const [own] = rest;
  if (own === undefined) return `it does not call the program ${call.program}`;
  const other = rest.find(({ program }) => program !== call.program);
  if (other !== undefined) return `it calls the program ${programWords(namedProgram(other.program))} instead of ${call.program}`;
  if (rest.length > 1) return `it calls the program ${call.program} ${rest.length} times, and once is right`;
  const names = listAccounts(message);
  const given = own.accounts.map((place) => names[place] as string);
  if (given.length !== call.accounts.length) return `its call names ${given.length} accounts instead of ${call.accounts.length}`;
  for (const [place, { name, address }] of call.accounts.entries())
    if (given[place] !== address) return `its ${name} is ${given[place]} instead of ${address}`;
  return dataObjection(own.data, call.data);
}

function dataObjection(data: Uint8Array, fields: readonly CallField[]): string | null {
  const length = fields.reduce((sum, { hex }) => sum + hex.length / 2, 0);
  if (data.length !== length) return `its data has ${data.length} bytes instead of ${length}`;
  let at = 0;
  for (const field of fields) {
    const given = Buffer.from(data.subarray(at, at + field.hex.length / 2)).toString('hex');
    if (given !== field.hex) return `its ${field.name} is ${shown({ ...field, hex: given })} instead of ${shown(field)}`;
    at += field.hex.length / 2;
  }
  return null;
}

function shown({ hex, form }: CallField): string {
  const bytes = Buffer.from(hex, 'hex');
  if (form === 'address') return base58(bytes);
  return form === 'number' ? String(BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)) : `0x${hex}`;
}

/** Returns a little-endian number of the given length. */
export function numberField(name: string, value: bigint | number, bytes: 4 | 8): CallField {
  const data = Buffer.alloc(8);
  data.writeBigUInt64LE(BigInt(value));
  return { name, hex: data.subarray(0, bytes).toString('hex'), form: 'number' };
}

/** Returns plain bytes from hexadecimal, with or without 0x. */
export function bytesField(name: string, hex: string): CallField {
  return { name, hex: hex.replace(/^0x/, '').toLowerCase(), form: 'bytes' };
}
