import * as z from 'zod';
import { defineTool } from './tool.ts';

const MAXIMUM_STEPS = 30;
const MAXIMUM_TEXT = 1_000;

export const plan = defineTool({
	name: 'plan',
	description: 'Shows the user the steps of the work, if it has more than two, and again whenever one is done.',
	schema: z.object({
		steps: z
			.array(
				z.object({
					text: z.string().min(1).max(MAXIMUM_TEXT),
					status: z.enum(['pending', 'in_progress', 'completed']),
				}),
			)
			.min(1)
			.max(MAXIMUM_STEPS),
	}),
	kind: 'think',
	isSilent: true,
	needsPermission: false,
	show: () => ({ title: 'Plan' }),
	async run({ steps }, { update }) {
		const entries = steps.map(({ text, status }) => ({ content: text, status, priority: 'medium' as const }));
		await update({ sessionUpdate: 'plan', entries });
		return { text: 'The plan is shown.' };
	},
});
