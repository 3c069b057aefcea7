import type { Questions } from '../../src/contract/decisions.ts';

/** A state with a question of each type. */
export const state = { harbour: { name: 'Nordhavn', boats: [3, null, true], open: 'at seven' } };
export const questions = {
	topic: {
		type: 'choice',
		instructions: 'What is harbour.open about?',
		criteria: { weather: 'The weather', hours: 'Opening hours', other: 'Anything else' },
	},
	traffic: { type: 'score', instructions: 'How busy is it?', criteria: ['empty', 'some boats', 'full'] },
	late: { type: 'noul', instructions: 'It opens late.', criteria: { true: 'After nine', false: 'Before' } },
} satisfies Questions;
