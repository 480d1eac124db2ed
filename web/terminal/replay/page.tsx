/** Contents of the replayed tape, and the other available tapes. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { At } from '../kit/ages.tsx';
import { FigureList, Loaded } from '../kit/lists.tsx';
import { Table } from '../kit/table.tsx';
import { useStore } from '../kit/store.ts';
import { venueIn } from '../place.ts';
import { known, move, readTapes } from './control.ts';

const BYTES = new Intl.NumberFormat('en-US');

export function ReplayPage() {
  const replay = useStore(known)?.replay;
  if (replay === undefined)
    return (
      <div className="page">
        <h1>Replay</h1>
        <p className="card empty">
          This service shows live data. <code>sevengate tape serve FILE</code> shows a recorded tape in the same workspace.
        </p>
      </div>
    );
  return (
    <div className="page">
      <div className="page-head">
        <h1>Replay</h1>
        <p className="faint">These pages replay a recording: prices, bars and outages as they were received at the time.</p>
      </div>
      <FigureList
        look="card figures padded"
        lines={[
          ['Tape', replay.tape],
          ['From', <At at={replay.from} />],
          ['To', <At at={replay.to} />],
        ]}
      />
      <Tapes playing={replay.tape} />
      <section className="card" aria-label="On this tape">
        <Table
          label="Instruments by venue"
          rows={replay.instruments.map((key) => ({ key }))}
          keyOf={({ key }) => key}
          columns={[
            { title: 'Instrument', instrument: ({ key }) => key },
            { title: 'Venue', isText: true, text: ({ key }) => venueIn(key) },
          ]}
        />
      </section>
    </div>
  );
}

function Tapes({ playing }: { readonly playing: string }) {
  const tapes = useQuery({ queryKey: ['tapes'], queryFn: readTapes });
  return (
    <section className="card" aria-label="Other tapes">
      <h2 className="card-title">Tapes in the folder</h2>
      <Loaded query={tapes}>
        {({ items }) => (
          <Table
            label="Tapes in the folder"
            rows={items}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Tape', text: ({ name }) => name },
              { title: 'Bytes', text: ({ bytes }) => BYTES.format(bytes) },
              { title: 'Actions', buttons: ({ name }) => <Load name={name} isPlaying={name === playing} /> },
            ]}
          />
        )}
      </Loaded>
    </section>
  );
}

const Load = ({ name, isPlaying }: { readonly name: string; readonly isPlaying: boolean }) =>
  isPlaying ? (
    <span className="faint">playing</span>
  ) : (
    <Button size="compact-xs" variant="default" onClick={() => void move('load', { tape: name })}>
      Load {name}
    </Button>
  );
