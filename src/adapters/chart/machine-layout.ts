/** Layout of a machine as boxes and edges. */

/** A rectangle in CSS pixels at scale 1, measured from the machine's top left corner. */
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** State, or a mark: `initial` at the start of a region, or `any` at the start of transitions that hold in every state. */
export interface ChartBox extends Rectangle {
  /** Path below the machine, such as `stage.draft`. Empty for the machine, `stage/any` for a mark. */
  readonly id: string;
  /** Path of the containing box; null for the machine. */
  readonly parent: string | null;
  readonly kind: 'machine' | 'region' | 'compound' | 'state' | 'final' | 'initial' | 'any';
  readonly title: string;
  /** Events handled without leaving the state. */
  readonly stays: readonly string[];
}

/** Transition from the border of one box to that of another. */
export interface ChartEdge {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Event in XState's form; empty at the start of a region. */
  readonly event: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
  /** Label with the event and its guard; null if it has no text. */
  readonly label: (Rectangle & { readonly lines: readonly string[] }) | null;
}

export interface MachineLayout {
  readonly machine: string;
  readonly width: number;
  readonly height: number;
  /** Boxes, parents before children. */
  readonly boxes: readonly ChartBox[];
  readonly edges: readonly ChartEdge[];
}
