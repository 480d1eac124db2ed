/** Reserve checks: are the balances of books and vaults backed? Newest first. */
import { api, type ReserveCheck } from '../api.ts';
import { List, useList } from '../kit/lists.tsx';

const READ_EVERY_MS = 60_000;
const TONES: Record<ReserveCheck['verdict'], string> = { backed: 'up', short: 'down', unknown: 'warn' };

export const Reserves = () => (
  <div className="panel-scroll">
    <List
      list={useList(['reserves'], api.listReserves, { everyMs: READ_EVERY_MS })}
      label="Checks of reserves, newest first"
      empty="No checks yet. Each check compares the claims of live books and vaults with the balances of their accounts."
      keyOf={({ at }) => at}
      markOf={({ verdict }) => verdict}
      columns={[
        { title: 'Checked', at: ({ at }) => at },
        { title: 'Verdict', isText: true, cell: ({ verdict }) => <span className={TONES[verdict]}>{verdict}</span> },
        {
          title: 'Claimed and held',
          isText: true,
          cell: ({ lines }) => (
            <span className="long num">
              {lines.map(({ asset, claimed, held }) => `${asset} ${claimed} / ${held ?? 'unknown'}`).join('; ')}
            </span>
          ),
        },
        { title: 'Not read', isText: true, cell: ({ unknown }) => <span className="long warn">{unknown.join(', ')}</span> },
      ]}
    />
  </div>
);
