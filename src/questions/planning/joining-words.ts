/** Sources of patterns for the words and marks that join the parts of a question. */
const marks = '[,，、;；&]';
/** Words that join conditions of which all hold. */
const atOnce = 'and\\b|而?且|并且?|又';
/** Words that join nouns, and conditions of which any holds. */
const listing = '[和与及]|以及';
const contrast = 'but\\b|但是?';
const next = 'then\\b|然后|再';

/** Matches the text between two conditions that both hold: ` and `, 且, 、, 并在. */
export const joinsConditions = new RegExp(
  `^(?:\\s|${marks}|${atOnce}|${contrast})*(?:(?:is|are|was|were|has|have|had|been|that|which|who)\\s+)*[在于]?\\s*$`,
);

/** Matches the text between two times of one date: `but`, 和, 的、. */
export const joinsTimes = new RegExp(`^(?:\\s|${marks}|的|在|${listing}|(?:${atOnce}|${contrast})(?:\\s+(?:also|not|then)\\b)?)*$`);

/** Matches the text between a key of an order and the next key: `, then by the `, 和. */
export const joinsKeys = new RegExp(
  `^\\s*(?:${marks}|${atOnce}|${listing}|${next})(?:\\s|${marks}|${atOnce}|${next})*(?:by\\s+)?(?:(?:the|their)\\s+)?$`,
);
