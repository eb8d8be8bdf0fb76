import type { Card } from "./protocol";
import type { Prompt } from "./prompts";

/** isOpen says that a card waits for an answer, be it here or in another window. */
export function isOpen(card: Card): boolean {
  return (card.kind === "permission" && card.body.decision === undefined) || (card.kind === "question" && card.body.answer === undefined);
}

/**
 * pair finds the prompt of each open card. The two come separately and a card does not name its prompt, so what they say is compared. Prompts that draw no card are left over.
 */
export function pair(cards: Card[], prompts: Prompt[]): { byCard: Map<string, Prompt>; rest: Prompt[] } {
  const rest = [...prompts];
  const byCard = new Map<string, Prompt>();
  for (const card of cards.filter(isOpen)) {
    const at = rest.findIndex((prompt) => same(card, prompt));
    if (at >= 0) {
      byCard.set(card.id, ...rest.splice(at, 1) as [Prompt]);
    }
  }
  return { byCard, rest };
}

function same(card: Card, prompt: Prompt): boolean {
  if (card.kind === "question" && prompt.kind === "question") {
    return card.body.text === prompt.params.text;
  }
  if (card.kind !== "permission" || prompt.kind !== "permission") {
    return false;
  }
  const { action, path, argv } = prompt.params;
  return card.body.action === action && card.body.path === path && (card.body.argv ?? []).join("\0") === (argv ?? []).join("\0");
}
