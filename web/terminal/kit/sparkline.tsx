/** Sparkline of a number, one row high or as wide as its container. */
interface SparklineProps {
  /** Oldest first. For drawing only. */
  readonly values: readonly string[];
  readonly label: string;
  /** True if a rise is good: rises are green, falls red. */
  readonly isValued?: boolean;
  /** True to fill the width of the container. */
  readonly isWide?: boolean;
}

const [WIDTH, HEIGHT] = [88, 20];

export function Sparkline({ values, label, isValued = false, isWide = false }: SparklineProps) {
  const numbers = values.map(Number).filter(Number.isFinite);
  if (numbers.length < 2) return <span className="faint">–</span>;
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const points = numbers.map((value, place) => {
    const x = (place / (numbers.length - 1)) * WIDTH;
    const y = high === low ? HEIGHT / 2 : HEIGHT - 2 - ((value - low) / (high - low)) * (HEIGHT - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const way = !isValued ? 'faint' : (numbers.at(-1) as number) >= (numbers[0] as number) ? 'up' : 'down';
  const size = isWide ? { preserveAspectRatio: 'none' } : { width: WIDTH, height: HEIGHT };
  return (
    <svg className={`sparkline ${way}`} data-wide={isWide} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} {...size} role="img" aria-label={label}>
      {isWide && <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} fill="currentColor" opacity="0.12" />}
      <polyline points={points.join(' ')} fill="none" stroke="currentColor" strokeWidth="1.400" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
