/** Compares a signed EVM transaction with the quoted one, field by field. Gas, fees and nonce are the wallet's choice. */
import type { UnsignedEvmTransaction } from './quote.ts';

/** Fields of a signed or a landed EVM transaction. */
export interface ReadEvmTransaction {
  /** Null for a transaction without replay protection. */
  readonly chainId: number | null;
  readonly from: string;
  /** Null for the creation of a contract. */
  readonly to: string | null;
  readonly data: string;
  readonly value: string;
  /** `legacy`, `eip2930` or `eip1559`. Other types carry more than a call. */
  readonly type: string;
}

const PLAIN_TYPES: ReadonlySet<string> = new Set(['legacy', 'eip2930', 'eip1559']);
const same = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

/** Lists the fields that differ, each with the quoted and the signed value. */
export function evmDifferences(quoted: UnsignedEvmTransaction, given: ReadEvmTransaction): readonly string[] {
  const differs: string[] = [];
  if (given.chainId !== quoted.chainId) differs.push(`chain ${given.chainId ?? 'none'} instead of ${quoted.chainId}`);
  if (!same(given.from, quoted.from)) differs.push(`from ${given.from} instead of ${quoted.from}`);
  if (!same(given.to, quoted.to)) differs.push(`to ${given.to ?? 'a new contract'} instead of ${quoted.to}`);
  if (given.value !== quoted.value) differs.push(`value ${given.value} instead of ${quoted.value}`);
  if (!same(given.data, quoted.data)) differs.push('data');
  if (!PLAIN_TYPES.has(given.type)) differs.push(`type ${given.type}, which does more than a call`);
  return differs;
}
