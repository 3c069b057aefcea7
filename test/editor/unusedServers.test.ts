import assert from 'node:assert/strict';
import type { UpstreamProblem } from '../../src/base/errors.ts';
import type { FoundServer } from '../../src/contract/foundServers.ts';
import { FoundServers, failingServers } from '../../src/models/unusedServers.ts';
import { waitFor } from '../support/waitFor.ts';
import { useServices } from './useServices.ts';

const ADDRESS = 'http://127.0.0.1:11434/v1';

describe('the model servers of this machine whose models are not used', () => {
	const flow = useServices();
	const found = (fields: Partial<FoundServer> = {}): FoundServer => ({
		slug: 'ollama',
		label: 'Ollama',
		url: ADDRESS,
		owner: { kind: 'own', user: 'me' },
		...fields,
	});
	const others = { kind: 'other' as const, user: 'eve' };
	const servers = () => new FoundServers(flow.services.local.answerFoundServer);

	it('are asked about once in a window, by name, address and user, and the answer goes to the service', async () => {
		const asking = servers();
		flow.choose(/^Found .* on this machine/, 'Use');
		asking.consider([found(), found({ use: true, url: 'http://127.0.0.1:8080/v1' })]);
		asking.consider([found()]);
		await waitFor('the answer', () => flow.local.answered.length === 1);
		assert.deepEqual(flow.local.answered, [{ url: ADDRESS, user: 'me', use: true }]);
		assert.equal(flow.messages.length, 1);
		assert.match(
			flow.messages[0] ?? '',
			/^Found Ollama on this machine, at 127\.0\.0\.1:11434\. It runs as you, me\. Use its models\? Your messages/,
		);
	});

	it('are asked about again where another user has come to listen at the address', async () => {
		const asking = servers();
		asking.consider([found()]);
		asking.consider([found({ owner: others })]);
		await waitFor('both questions', () => flow.messages.length === 2);
		assert.match(
			flow.messages[1] ?? '',
			/It runs as eve, another user of this machine, who can read what you send to it\./,
		);
		assert.deepEqual(flow.local.answered, []);
	});

	it('stand in lists with the reason, and are asked about from there', async () => {
		const asking = servers();
		assert.deepEqual(asking.unused([found({ use: true })]), []);
		const [refused, unanswered] = asking.unused([found({ use: false }), found({ owner: others })]);
		assert.match(refused?.reason ?? '', /^Not used, as you selected\. It runs as you, me\.$/);
		assert.match(unanswered?.reason ?? '', /^Not used without your permission\. It runs as eve, another user/);
		flow.choose(/^Found/, 'Don’t Use');
		refused?.ask();
		await waitFor('the answer', () => flow.local.answered.length === 1);
		assert.deepEqual(flow.local.answered, [{ url: ADDRESS, user: 'me', use: false }]);
	});

	it('stand in lists with what is wrong with each of the settings, and lead to where it is put right', async () => {
		await flow.write('errand.local.upstreams', {
			locked: { url: 'http://127.0.0.1:9/v1' },
			gone: { url: 'http://127.0.0.1:8/v1', label: 'The old one' },
		});
		const problems: UpstreamProblem[] = [
			{ slug: 'locked', hasKey: false, code: 'unauthorised', status: 401 },
			{ slug: 'gone', origin: 'http://127.0.0.1:8', code: 'offline', system: 'ECONNREFUSED' },
			{ slug: 'ollama', origin: 'http://127.0.0.1:7', code: 'offline', system: 'ECONNREFUSED' },
		];
		const managed: string[] = [];
		const failing = failingServers(problems, ({ slug }) => managed.push(slug));
		assert.deepEqual(
			failing.map(({ label, place }) => [label, place]),
			[
				['locked', '127.0.0.1:9'],
				['The old one', '127.0.0.1:8'],
			],
		);
		assert.match(failing[0]?.reason ?? '', /^127\.0\.0\.1:9 requires a key \(HTTP 401\)\. Enter one to continue\.$/);
		assert.match(failing[1]?.reason ?? '', /^Nothing responds at 127\.0\.0\.1:8: the connection was refused\./);
		failing[1]?.ask();
		assert.deepEqual(managed, ['gone']);
	});
});
