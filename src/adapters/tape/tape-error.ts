/** Error of a tape, with its place. */

/** Refuses a tape or a recording. The message names the file, the place, what was wrong and what would be right. */
export class TapeError extends Error {
  readonly file: string;
  /** Place such as `line 7` or `block 3 at byte 8192`; empty for the file as a whole. */
  readonly place: string;

  constructor(file: string, place: string, problem: string) {
    super(place === '' ? `${file} ${problem}` : `${file}, ${place}: ${problem}`);
    this.name = 'TapeError';
    this.file = file;
    this.place = place;
  }
}
