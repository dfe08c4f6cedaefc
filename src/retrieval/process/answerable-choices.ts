import { type QuestionChoice } from '../../questions/planning/question-plan.js';

/** Maximum number of choices that are tested. Choices beyond it are offered untested, because asking back must not take long. */
const mostTested = 30;

/**
 * Plans a question, and leaves out the choices with which it would still be refused. A choice that leads to further choices stays if one of
 * these can be taken. If no choice can be taken, the question is refused for the reason of the likeliest.
 * @param chosen the tokens of the request
 * @param plan plans the question with chosen tokens
 */
export async function planAnswerable<Planned extends { outcome: object }>(
  chosen: readonly string[],
  plan: (choices: readonly string[]) => Promise<Planned>,
): Promise<Planned> {
  let tested = 0;

  async function narrowed(choices: readonly string[]): Promise<Planned> {
    const planned = await plan(choices);
    const offered = choicesOf(planned);
    if (!offered) return planned;
    const kept: QuestionChoice[] = [];
    let refused: Planned | null = null;
    for (const choice of offered) {
      const taken = ++tested <= mostTested ? await narrowed([...choices, choice.token]) : null;
      if (taken && 'reason' in taken.outcome && !choicesOf(taken)) refused ??= taken;
      else kept.push(choice);
    }
    if (kept.length === 0 && refused) return refused;
    return { ...planned, outcome: { ...planned.outcome, choices: kept } };
  }

  return narrowed(chosen);
}

function choicesOf({ outcome }: { outcome: { choices?: QuestionChoice[] } }): QuestionChoice[] | undefined {
  return outcome.choices;
}
