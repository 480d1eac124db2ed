/** Reserve checks: are the balances of books and vaults backed? Newest first. */
import type { ReserveCheck } from '../../../clients/typescript/src/index.ts';
import { api } from '../api.ts';
import { At } from '../kit/ages.tsx';
import { List, useList } from '../kit/lists.tsx';

const READ_EVERY_MS = 60_000;
const TONES: Record<ReserveCheck['verdict'], string> = { backed: 'up', short: 'down', unknown: 'warn' };

export function Reserves() {
  const checks = useList(['reserves'], (page, options) => api.listReserves(page, options), { everyMs: READ_EVERY_MS });
  return (
    <div className="panel-scroll">
      <List
        list={checks}
        label="Checks of reserves, newest first"
        empty="No checks yet. Each check compares the claims of live books and vaults with the balances of their accounts."
        keyOf={({ at }) => at}
        markOf={({ verdict }) => verdict}
        columns={[
          { title: 'Checked', cell: ({ at }) => <At at={at} /> },
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
}
