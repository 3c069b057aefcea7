import * as z from 'zod';
import { defineTool } from './tool.ts';

const SECOND_MS = 1_000;
const MAXIMUM_WAIT = 600;

export const output = defineTool({
	name: 'output',
	description: 'Waits some seconds for new output of a background command, or stops it.',
	schema: z.object({
		id: z.int().min(1),
		seconds: z.int().min(0).max(MAXIMUM_WAIT).default(10),
		stop: z.boolean().default(false),
	}),
	kind: 'execute',
	needsPermission: false,
	show: ({ id, stop }) => ({ title: stop ? `Stop command ${id}` : `Output of command ${id}` }),
	async run({ id, seconds, stop }, { commands, signal }) {
		const text = await (stop ? commands.stop(id, signal) : commands.read(id, seconds * SECOND_MS, signal));
		return { text };
	},
});
