/** Diagram of a Take's lineage: the Takes it was forked from, itself, and its forks. */
import { plain } from '../../words.js';
import { api, useRead, type Take } from '../api.ts';

const [WIDTH, HEIGHT, GAP_X, GAP_Y] = [150, 40, 44, 10];
const READ = 200;

interface Box {
  readonly id: string;
  readonly column: number;
  readonly row: number;
  readonly from: string | null;
  readonly take: Take | undefined;
}

/** Places the Takes in columns by generation: ancestors, the Take, its forks. */
function placeBoxes(take: Take, known: readonly Take[]): readonly Box[] {
  const byId = new Map([...known, take].map((one) => [one.id, one]));
  const line = [...take.lineage, take.id];
  const own = line.map((id, column) => ({ id, column, row: 0, from: line[column - 1] ?? null, take: byId.get(id) }));
  const rows = new Map<number, number>();
  const copies = known
    .filter(({ lineage }) => lineage.includes(take.id))
    .sort((a, b) => a.lineage.length - b.lineage.length || (a.createdAt < b.createdAt ? -1 : 1))
    .map((copy) => {
      const column = copy.lineage.length;
      const row = rows.get(column) ?? 0;
      rows.set(column, row + 1);
      return { id: copy.id, column, row, from: copy.lineage.at(-1) ?? null, take: copy };
    });
  return [...own, ...copies];
}

export function Lineage({ take }: { readonly take: Take }) {
  const { data = [] } = useRead(['takes', 'lineage'], async (call) => (await api.listTakes({ limit: READ }, call)).items);
  const boxes = placeBoxes(take, data);
  if (boxes.length === 1) return <p className="faint">An original without copies.</p>;
  const columns = Math.max(...boxes.map(({ column }) => column)) + 1;
  const rows = Math.max(...boxes.map(({ row }) => row)) + 1;
  const [width, height] = [columns * (WIDTH + GAP_X) - GAP_X + 4, rows * (HEIGHT + GAP_Y) - GAP_Y + 4];
  const toPlace = ({ column, row }: Box) => ({ x: 2 + column * (WIDTH + GAP_X), y: 2 + row * (HEIGHT + GAP_Y) });
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Lineage">
      <svg className="lineage" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        {boxes.map((box) => {
          const from = boxes.find(({ id }) => id === box.from);
          if (from === undefined) return null;
          const [start, end] = [toPlace(from), toPlace(box)];
          const [x1, y1, x2, y2] = [start.x + WIDTH, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2];
          const middle = (x1 + x2) / 2;
          return <path key={box.id} d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`} />;
        })}
      </svg>
      <ol className="lineage-boxes" style={{ width, height }}>
        {boxes.map((box) => {
          const { x, y } = toPlace(box);
          return (
            <li key={box.id} style={{ left: x, top: y, width: WIDTH, height: HEIGHT }} data-own={box.id === take.id}>
              <BoxText box={box} isThis={box.id === take.id} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

function BoxText({ box: { id, take }, isThis }: { readonly box: Box; readonly isThis: boolean }) {
  const name = take === undefined ? 'Take of others' : `Take on ${take.symbol}`;
  return (
    <>
      {take === undefined || isThis ? <strong>{name}</strong> : <a href={`#/takes/${id}`}>{name}</a>}
      <small>
        {id.slice(-8)}
        {take === undefined ? '' : `, ${plain(take.state)}`}
      </small>
    </>
  );
}
