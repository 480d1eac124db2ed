/** Trade workspace: its panels and their default arrangement. */
import type { Workspace } from './dock.tsx';
import { useOpenOrders } from './panels/orders.tsx';
import { usePendingProposals } from './panels/proposals.tsx';
import { PANELS, type PanelName } from './panels.tsx';

const WIDE = 1_700;
const NARROW = 1_250;

const Waiting = ({ count, isUrgent = false }: { readonly count: number; readonly isUrgent?: boolean }) =>
  count === 0 ? null : <span className={isUrgent ? 'count urgent' : 'count'} data-count={count} />;

export const TRADE: Workspace<PanelName> = {
  name: 'trade',
  panels: {
    ...PANELS,
    proposals: { ...PANELS.proposals, Count: () => <Waiting count={usePendingProposals().length} isUrgent /> },
    orders: { ...PANELS.orders, Count: () => <Waiting count={useOpenOrders().length} /> },
  },
  arrange(api, add) {
    const isWide = api.width > WIDE;
    const chart = add('chart');
    const watchlist = add('watchlist', { direction: 'left' });
    const ticket = add('ticket', { direction: 'right' });
    const positions = add('positions', { referencePanel: chart, direction: 'below' });
    const book = add('book', { referencePanel: chart, direction: 'right' });
    for (const name of ['orders', 'proposals', 'fills', 'alerts', 'news', 'conditions'] as const)
      add(name, { referencePanel: positions, direction: 'within' });
    positions.api.setActive();
    watchlist.api.setSize({ width: 330 });
    ticket.api.setSize({ width: isWide ? 320 : api.width < NARROW ? 252 : 280 });
    book.api.setSize({ width: isWide ? 300 : 232 });
    positions.api.setSize({ height: Math.max(190, Math.round(api.height * 0.28)) });
  },
};
