import * as z from 'zod';
import { oneLine } from '../../base/plainText.ts';
import { defineTool } from './tool.ts';

const MAXIMUM_PROMPT = 20_000;
/** The maximum characters of a prompt in the title. */
const MAXIMUM_NAME = 80;

export const task = defineTool({
	name: 'task',
	description: 'Has a helper, which can only read and knows only your prompt, answer a question about the code.',
	schema: z.object({
		prompt: z.string().min(1).max(MAXIMUM_PROMPT),
	}),
	kind: 'think',
	needsPermission: false,
	show: ({ prompt }) => ({ title: `Helper: ${oneLine(prompt, MAXIMUM_NAME)}` }),
	async run({ prompt }, { delegate, showText }) {
		const steps: string[] = [];
		const answer = await delegate(prompt, async title => {
			steps.push(`- ${title}`);
			await showText(steps.join('\n'));
		});
		const shown = [...steps, '', answer].join('\n');
		return { text: answer, content: [{ type: 'content', content: { type: 'text', text: shown } }] };
	},
});
