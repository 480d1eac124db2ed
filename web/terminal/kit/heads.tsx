/** The head of a table: numbers stand right, words left; a column of buttons has a name for readers only. */
interface HeadsProps {
  readonly titles: readonly string[];
  /** Titles of columns of words; the first column is one. */
  readonly words?: readonly string[];
  /** Name of a last column of buttons. */
  readonly buttons?: string;
}

export function Heads({ titles, words = [], buttons }: HeadsProps) {
  return (
    <thead>
      <tr>
        {titles.map((title) => (
          <th key={title} scope="col" className={words.includes(title) ? 'text' : undefined}>
            {title}
          </th>
        ))}
        {buttons !== undefined && (
          <th scope="col">
            <span className="sr-only">{buttons}</span>
          </th>
        )}
      </tr>
    </thead>
  );
}
