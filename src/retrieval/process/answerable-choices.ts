import { type QuestionChoice } from '../../questions/planning/question-plan.js';

/** Time in ms, and number of choices, after which choices are offered untested. */
export const testsChoicesForMs = 500;
const mostTested = 30;

/**
 * Plans a question, and leaves out the choices with which it would still be refused. A choice that leads to further choices stays if one of
 * these can be taken. If no choice can be taken, the question is refused for the reason of the likeliest.
 * @param chosen the tokens of the request
 * @param plan plans the question with chosen tokens
 * @param until the time by `performance.now()` until which choices are tested
 */
export async function planAnswerable<Planned extends { outcome: object }>(
  chosen: readonly string[],
  plan: (choices: readonly string[]) => Promise<Planned>,
  until: number,
): Promise<Planned> {
  let tested = 0;

  /** The refusal of the question with these choices; null if it is answered, or not tested. */
  async function refusalWith(choices: readonly string[]): Promise<Planned | null> {
    if (++tested > mostTested || performance.now() > until) return null;
    const planned = await plan(choices);
    const offered = choicesOf(planned);
    if (!offered) return 'reason' in planned.outcome ? planned : null;
    let refusal: Planned | null = null;
    for (const { token } of offered) {
      const refused = await refusalWith([...choices, token]);
      if (!refused) return null;
      refusal ??= refused;
    }
    return refusal;
  }

  const planned = await plan(chosen);
  const offered = choicesOf(planned);
  if (!offered) return planned;
  const kept: QuestionChoice[] = [];
  let refusal: Planned | null = null;
  for (const choice of offered) {
    const refused = await refusalWith([...chosen, choice.token]);
    if (refused) refusal ??= refused;
    else kept.push(choice);
  }
  return kept.length === 0 && refusal ? refusal : { ...planned, outcome: { ...planned.outcome, choices: kept } };
}

function choicesOf({ outcome }: { outcome: { choices?: QuestionChoice[] } }): QuestionChoice[] | undefined {
  return outcome.choices;
}
