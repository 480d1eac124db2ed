/** The course of a number as a line of one row's height. */
interface SparklineProps {
  /** Oldest first; drawn, never computed with. */
  readonly values: readonly string[];
  readonly label: string;
  /** More is better: a rise is green and a fall is red. */
  readonly isValued?: boolean;
}

const [WIDTH, HEIGHT] = [88, 20];

export function Sparkline({ values, label, isValued = false }: SparklineProps) {
  const numbers = values.map(Number).filter(Number.isFinite);
  if (numbers.length < 2) return <span className="faint">–</span>;
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const points = numbers.map((value, place) => {
    const x = (place / (numbers.length - 1)) * WIDTH;
    const y = high === low ? HEIGHT / 2 : HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const way = !isValued ? 'faint' : (numbers.at(-1) as number) >= (numbers[0] as number) ? 'up' : 'down';
  return (
    <svg className={`sparkline ${way}`} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.400" />
    </svg>
  );
}
