/** Builds the message of a transaction from its instructions, in the older form of the wire: no lookup tables, in canonical form. */

import { joined, keyBytes } from '../launch/byte-struct.ts';
import { type NamedAccount, type ProgramInstruction } from '../launch/curve/program.ts';

interface Role {
  readonly signer: boolean;
  readonly writable: boolean;
}

/** A count of at most two bytes, seven bits each. */
function count(value: number): Uint8Array {
  return value < 0x80 ? Uint8Array.of(value) : Uint8Array.of((value & 0x7f) | 0x80, value >> 7);
}

/** Signers before others, those that may be written before those that may not; the payer is first of all. */
function placed(payer: string, instructions: readonly ProgramInstruction[]): readonly (readonly [string, Role])[] {
  const roles = new Map<string, Role>([[payer, { signer: true, writable: true }]]);
  const name = ({ address, signer = false, writable = false }: NamedAccount): void => {
    const known = roles.get(address);
    roles.set(address, { signer: signer || known?.signer === true, writable: writable || known?.writable === true });
  };
  for (const { accounts } of instructions) accounts.forEach(name);
  for (const { program } of instructions) name({ address: program });
  const rank = ({ signer, writable }: Role): number => (signer ? 0 : 2) + (writable ? 0 : 1);
  const [first, ...rest] = [...roles];
  return [first as readonly [string, Role], ...rest.sort(([, a], [, b]) => rank(a) - rank(b))];
}

/** The message's bytes. @throws RangeError if more accounts are named than indexes tell apart */
export function compileMessage(payer: string, blockhash: string, instructions: readonly ProgramInstruction[]): Uint8Array {
  const accounts = placed(payer, instructions);
  if (accounts.length > 256) throw new RangeError(`${accounts.length} accounts cannot be told apart in one message`);
  const index = new Map(accounts.map(([address], place) => [address, place]));
  const indexOf = (address: string): number => index.get(address) as number;
  const signers = accounts.filter(([, { signer }]) => signer);
  const header = Uint8Array.of(
    signers.length,
    signers.filter(([, { writable }]) => !writable).length,
    accounts.filter(([, { signer, writable }]) => !signer && !writable).length,
  );
  const compiled = instructions.map(({ program, accounts: named, data }) =>
    joined(
      Uint8Array.of(indexOf(program)),
      count(named.length),
      Uint8Array.from(named, ({ address }) => indexOf(address)),
      count(data.length),
      data,
    ),
  );
  return joined(
    header,
    count(accounts.length),
    ...accounts.map(([address]) => keyBytes(address)),
    keyBytes(blockhash),
    count(compiled.length),
    ...compiled,
  );
}

/** A message behind the slots of its signatures: those that are given, in the order of the signers, and zeros for all others. */
export function wireTransaction(message: Uint8Array, signatures: readonly (Uint8Array | null)[]): Uint8Array {
  return joined(count(signatures.length), ...signatures.map((one) => one ?? new Uint8Array(64)), message);
}
