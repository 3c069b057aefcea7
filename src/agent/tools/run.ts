import * as z from 'zod';
import { runChild } from '../../base/childProcess.ts';
import { KeptOutput } from './outputBuffer.ts';
import { endWords, shellCommand, withState } from './shell.ts';
import { defineTool } from './tool.ts';

const SECOND_MS = 1_000;

/** The time limit of a command by default, and the highest that the model can request, in seconds. */
const LIMIT_SECONDS = 2 * 60;
const MAXIMUM_SECONDS = 20 * 60;

/** The longest wait for new output of a background command, in seconds. */
const MAXIMUM_WAIT = 600;

/** Matches the end of a command that leaves another one running. */
const LEAVES_RUNNING = /(?<!&)&\s*$/;

export const run = defineTool({
	name: 'run',
	description:
		'Runs a shell command without a terminal or input. What it leaves running is ended: for a server, set background, which returns an id for output.',
	schema: z.object({
		command: z.string().min(1),
		seconds: z.int().min(1).max(MAXIMUM_SECONDS).default(LIMIT_SECONDS),
		background: z.boolean().optional(),
	}),
	kind: 'execute',
	needsPermission: true,
	show: ({ command, background }) => ({ title: background ? `In the background: ${command}` : command }),
	async run({ command, seconds, background }, { folder, signal, commands }) {
		if (background) {
			// The shell itself must stay, because the end of the shell is awaited.
			const id = commands.start(command.replace(LEAVES_RUNNING, ''), folder);
			return { text: `It runs in the background with the id ${id}. It ends when you have finished, at the latest.` };
		}
		const output = new KeptOutput();
		const limit = AbortSignal.timeout(seconds * SECOND_MS);
		let how: string;
		let isFailure = true;
		try {
			const { exitCode } = await runChild({
				...shellCommand(command, folder),
				signal: AbortSignal.any([signal, limit]),
				onOutput: (_, bytes) => output.add(bytes),
			});
			isFailure = exitCode !== 0;
			how = endWords(exitCode);
		} catch (error) {
			signal.throwIfAborted();
			if (!limit.aborted) {
				throw error;
			}
			how = `It did not end within ${seconds} seconds and was stopped.`;
		}
		if (LEAVES_RUNNING.test(command)) {
			how += ' What it had left running was ended. Set background to keep a command running, without & at its end.';
		}
		const shown = withState(output.text(), how);
		return { text: shown, isFailure, content: [{ type: 'content', content: { type: 'text', text: shown } }] };
	},
});

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
