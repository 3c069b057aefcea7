import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { runChild } from '../../base/childProcess.ts';
import { markerWithin } from '../../base/processFamily.ts';
import { COMMAND_MS, MAXIMUM_COMMAND_MS, MAXIMUM_RESULT } from '../limits.ts';
import { KeptOutput } from './keptOutput.ts';
import { defineTool } from './tool.ts';

const SECOND_MS = 1_000;

/** The variables with which this agent is configured. Commands have no use for them. */
const OWN_PREFIX = 'ERRAND_AGENT_';

export const run = defineTool({
	name: 'run',
	description:
		'Runs a command of the shell in the working folder: tests, builds, git. It has no terminal and no input. What it leaves running is ended.',
	schema: z.object({
		command: z.string().min(1),
		seconds: z
			.int()
			.min(1)
			.max(MAXIMUM_COMMAND_MS / SECOND_MS)
			.default(COMMAND_MS / SECOND_MS)
			.describe('The time limit'),
	}),
	kind: 'execute',
	needsPermission: true,
	show: ({ command }) => ({ title: command }),
	async run({ command, seconds }, { folder, signal }) {
		const output = new KeptOutput(MAXIMUM_RESULT - 500);
		const limit = AbortSignal.timeout(seconds * SECOND_MS);
		const shell = process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c'] : ['/bin/sh', '-c'];
		const [program = '', ...options] = shell;
		const env = Object.entries(process.env).filter(([name]) => !name.startsWith(OWN_PREFIX));
		let how: string;
		let isFailure = true;
		try {
			const { exitCode } = await runChild({
				command: program,
				args: [...options, command],
				cwd: folder,
				env: Object.fromEntries(env) as Record<string, string>,
				marker: markerWithin(process.env, randomUUID()),
				signal: AbortSignal.any([signal, limit]),
				onOutput: (_, bytes) => output.add(bytes),
			});
			isFailure = exitCode !== 0;
			how = exitCode === undefined ? 'It was ended by a signal.' : `Exit code ${exitCode}.`;
		} catch (error) {
			signal.throwIfAborted();
			if (!limit.aborted) {
				throw error;
			}
			how = `It did not end within ${seconds} seconds and was stopped.`;
		}
		const text = output.text();
		const shown = `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${how}`;
		return { text: shown, isFailure, content: [{ type: 'content', content: { type: 'text', text: shown } }] };
	},
});
