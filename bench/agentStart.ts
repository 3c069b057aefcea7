import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ScriptedModel } from '../test/support/scriptedModel.ts';
import type { TemporaryRepository } from '../test/support/temporaryRepository.ts';
import type { HandStart, StartedAgent } from './agentContender.ts';
import { withServer } from './freshProcess.ts';

/** Returns the prompt that names a script of the model. */
export const promptOf = (script: string): string => `Work [[script ${script}]]`;

/** Starts an agent by hand in a sandbox, with a prompt that its model answers with the script `begin`. */
export async function startByHand(
	agent: string,
	repository: TemporaryRepository,
	model: ScriptedModel,
): Promise<StartedAgent> {
	const folder = await mkdtemp(path.join(repository.folder, 'by-hand-'));
	const start: HandStart = {
		agent,
		repository: repository.path,
		folder,
		port: Number(new URL(model.url).port),
		model: model.name,
		prompt: promptOf('begin'),
		insideProgram: path.resolve('dist/sandbox.js'),
	};
	const started = await withServer('agentContender.ts', start, async (message: StartedAgent) => message);
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	return started;
}
