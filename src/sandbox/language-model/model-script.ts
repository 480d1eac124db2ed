/** Script of the simulated language model. It stays in force until changed. */

/** Behaviors of the model. `obeys` follows instructions in the data, `chats` answers in prose, `empty` returns no choices. */
export const MODEL_COURSES = ['faithful', 'chats', 'empty', 'invents_numbers', 'invents_sources', 'obeys'] as const;
export type ModelCourse = (typeof MODEL_COURSES)[number];

export interface ModelScript {
  course: ModelCourse;
}

export function createModelScript(): ModelScript {
  return { course: 'faithful' };
}

/** Creates the control verbs of the simulator: `POST /chain/model-course` with `{ "course": "obeys" }`. */
export function modelVerbs(script: ModelScript) {
  return {
    'model-course': ({ course }: Readonly<Record<string, unknown>>) => {
      const named = MODEL_COURSES.find((one) => one === course);
      if (named === undefined) throw new RangeError(`course: one of ${MODEL_COURSES.join(', ')}`);
      script.course = named;
      return { course: named };
    },
  };
}
