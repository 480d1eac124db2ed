/** The `basis` channel: the basis of every underlying at the newest cut, then the changes at each following cut. */
import { Type } from 'typebox';
import { isoTime, startOfSlot, TAKE_TICK_MS } from '../../../src/domain/values/time.ts';
import { BasisRowBody, basisBody, DEFAULT_BASIS_NOTIONAL_USD } from '../../v1/rankings/basis.ts';
import type { FeedPorts } from '../feed-ports.ts';
import type { ChangedState, LatestChannel, LatestSource } from './channel.ts';

/** Milliseconds after a slot at which its cut is read. */
const SETTLE_MS = 2_500;

export const basisChannel: LatestChannel = {
  kind: 'latest',
  name: 'basis',
  about: 'Token, reference and perpetual of each underlying at every half-minute cut, with spread, costs, net edge and half-life.',
  permission: 'market:read',
  item: BasisRowBody,
  params: Type.Object({ symbol: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) }, { additionalProperties: false }),
  problem: () => null,
  open: (ports, { symbol }) => followBasis(ports, typeof symbol === 'string' ? symbol : null),
};

function followBasis(ports: FeedPorts, symbol: string | null): LatestSource {
  const { clock } = ports;
  const rows = new Map<string, string>();
  let shown = -1;
  let listener: (changed: readonly ChangedState[]) => void = () => {};
  let cancel = (): void => {};
  let stopped = false;

  async function read(): Promise<void> {
    const cut = await ports.rankings.cuts.at(clock.now());
    if (stopped || cut === null || cut.slot <= shown) return;
    const found = (await ports.rankings.basis.rows(cut, DEFAULT_BASIS_NOTIONAL_USD)).filter(
      (row) => symbol === null || row.symbol === symbol,
    );
    if (stopped) return;
    shown = cut.slot;
    const changed = found.map((row) => {
      const json = JSON.stringify(basisBody(row));
      rows.set(row.symbol, json);
      return { key: row.symbol, json: () => json };
    });
    listener(changed);
  }

  function plan(): void {
    if (stopped) return;
    cancel = clock.deadline(startOfSlot(clock.now(), TAKE_TICK_MS) + TAKE_TICK_MS + SETTLE_MS, look);
  }

  function look(): void {
    read().then(plan, (error: unknown) => {
      ports.reportDefect(error, `feeds: basis after ${isoTime(Math.max(0, shown))}`);
      plan();
    });
  }

  const ready = read().then(plan, (error: unknown) => {
    plan();
    throw error;
  });
  return {
    ready,
    snapshot: () => [...rows.values()],
    subscribe(receive) {
      listener = receive;
      return () => {
        stopped = true;
        cancel();
      };
    },
  };
}
