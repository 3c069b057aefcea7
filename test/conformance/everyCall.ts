import assert from 'node:assert/strict';
import type { Client } from '../../src/client/types.ts';
import { imageModel } from '../support/contractServer/fixtures.ts';
import { taskIds } from '../support/contractServer/taskFixtures.ts';
import { asking, MODEL, user } from './chatProofs.ts';
import { questions, state } from './decisionQuestions.ts';

const repoUrl = 'https://forge.example/skipper/harbour.git';

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
	for await (const _ of stream) {
		// The stream is read to its end.
	}
}

/** One call of every function that the client has, by its area and name. */
const calls: Record<string, (client: Client) => Promise<unknown>> = {
	'chat.complete': client => client.chat.complete(asking('text')),
	'chat.stream': client => drain(client.chat.stream(asking('text'))),
	'search.stream': client => drain(client.search.stream([user('text')])),
	'images.generate': client => client.images.generate({ model: imageModel.id, prompt: 'A lighthouse at dusk' }),
	'models.discover': client => client.models.discover(),
	'responses.stream': client => drain(client.responses.stream({ model: MODEL, input: [user('text')] })),
	'decisions.evaluate': client => client.decisions.evaluate({ state, questions }),
	'channel.health': client => client.channel.health(),
	'channel.attest': client => client.channel.attest(),
	'channel.open': async client => {
		const session = await client.channel.open();
		await session.send([user('text')]);
		await drain(session.stream([user('text')]));
		await session.close();
	},
	'tasks.list': client => client.tasks.list(),
	'tasks.pages': client => drain(client.tasks.pages()),
	'tasks.get': client => client.tasks.get(taskIds.completed),
	'tasks.create': client => client.tasks.create({ prompt: 'Add a lamp', repoUrl }),
	'tasks.stop': client => client.tasks.stop(taskIds.pending),
	'tasks.continue': client => client.tasks.continue(taskIds.completed, { prompt: 'And a flag' }),
	'tasks.follow': client => drain(client.tasks.follow(taskIds.failed)),
	'sources.organisations': client => client.sources.organisations(),
	'sources.repositories': client => client.sources.repositories('harbour-crew'),
	'sources.branches': client => client.sources.branches('harbour-crew', 'harbour'),
	'agentTasks.list': client => client.agentTasks.list(),
};

/** Calls every function of the client once, and passes each call's error to `onError`, which throws by default. */
export async function callEverything(
	client: Client,
	onError: (error: unknown) => void = error => {
		throw error;
	},
): Promise<void> {
	const functions = Object.entries(client).flatMap(([area, members]) =>
		Object.keys(members).map(name => `${area}.${name}`),
	);
	assert.deepEqual(functions.sort(), Object.keys(calls).sort());
	for (const call of Object.values(calls)) {
		await call(client).catch(onError);
	}
}
