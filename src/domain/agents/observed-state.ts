/** Part of a cut that a manifest reads. Its records show this part, and their hashes commit to it. */
import { canonicalHash, sha256Hex } from '../values/canonical-json.ts';
import { type Cut, type IndicatorNeed, type IndicatorValue, indicatorKey, type Observation, observationHash } from '../market/cut.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Part of a cut that a manifest reads. Manifests with an equal `key` read the same part. */
export interface Reading {
  readonly key: string;
  /** The universe in order, each instrument with its indicator names in canonical JSON order. */
  readonly parts: readonly { readonly instrument: InstrumentKey; readonly indicators: readonly string[] }[];
}

export function compileReading(instruments: readonly InstrumentKey[], needs: readonly IndicatorNeed[]): Reading {
  const parts = instruments.map((instrument) => ({
    instrument,
    indicators: [...new Set(needs.filter((need) => need.instrument === instrument).map(indicatorKey))].sort(),
  }));
  return { key: parts.map(({ instrument, indicators }) => [instrument, ...indicators].join(' ')).join('\n'), parts };
}

/** Returns the observations that a manifest reads, without the indicators that only other manifests request. */
export function observedBy(reading: Reading, { observations }: Pick<Cut, 'observations'>): Observation[] {
  return reading.parts.flatMap(({ instrument, indicators }) => {
    const observation = observations.get(instrument);
    return observation === undefined ? [] : [{ ...observation, indicators: pick(observation.indicators, indicators) }];
  });
}

function pick(values: Observation['indicators'], names: readonly string[]): Observation['indicators'] {
  const picked: Record<string, IndicatorValue> = {};
  for (const name of names) {
    const value = values[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

/**
 * Hashes of one cut that records commit to, each computed once.
 *
 * The second rule hashes one leaf per observation without indicators and one per indicator, and a record combines the leaves that its
 * manifest reads. The first rule hashed whole observations, including the indicators of every other agent.
 */
export class CutHashes {
  readonly cut: Cut;
  readonly #leaves = new Map<string, string>();
  readonly #combined = new Map<string, string>();

  constructor(cut: Cut) {
    this.cut = cut;
  }

  /** Returns the `observedHash` of a record, or an empty text if nothing of the universe was observed. */
  observed(reading: Reading): string {
    let hash = this.#combined.get(reading.key);
    if (hash === undefined) {
      hash = this.cut.hashedBy === 1 ? this.observedByFirstRule(reading) : this.#combine(reading);
      this.#combined.set(reading.key, hash);
    }
    return hash;
  }

  /** True if a record's `observedHash` matches this cut by either rule. */
  matches(observedHash: string, reading: Reading): boolean {
    return observedHash === this.observed(reading) || observedHash === this.observedByFirstRule(reading);
  }

  observedByFirstRule({ parts }: Reading): string {
    const hashes = parts.flatMap(({ instrument }) => {
      const observation = this.cut.observations.get(instrument);
      return observation === undefined ? [] : [this.#leaf(`whole ${instrument}`, () => observationHash(observation))];
    });
    return hashes.length > 1 ? sha256Hex(hashes.join('')) : (hashes[0] ?? '');
  }

  #combine({ parts }: Reading): string {
    let lines = '';
    for (const { instrument, indicators } of parts) {
      const observation = this.cut.observations.get(instrument);
      if (observation === undefined) continue;
      lines += `\n${this.#leaf(instrument, () => baseLeaf(observation))}`;
      for (const name of indicators) {
        const value = observation.indicators[name];
        if (value !== undefined) lines += `\n${this.#leaf(`${instrument} ${name}`, () => indicatorLeaf(observation, name, value))}`;
      }
    }
    return lines === '' ? '' : sha256Hex(`sevengate-observed-2${lines}`);
  }

  #leaf(name: string, hash: () => string): string {
    let leaf = this.#leaves.get(name);
    if (leaf === undefined) {
      leaf = hash();
      this.#leaves.set(name, leaf);
    }
    return leaf;
  }
}

/** Returns the SHA-256 of an observation's canonical JSON without its indicators. */
function baseLeaf({ indicators: _, ...base }: Observation): string {
  return canonicalHash(base);
}

function indicatorLeaf({ slot, instrument }: Observation, name: string, { value, previous, barOpenTime }: IndicatorValue): string {
  return sha256Hex(`sevengate-indicator-2\n${slot}\n${instrument}\n${name}\n${value}\n${previous}\n${barOpenTime}`);
}
