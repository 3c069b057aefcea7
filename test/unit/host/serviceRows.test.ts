import assert from 'node:assert/strict';
import type { PortOwner } from '../../../src/base/portOwner.ts';
import type { UsualServer } from '../../../src/contract/usualServers.ts';
import { modelRows } from '../../../src/models/pickModel.ts';
import { serviceRows } from '../../../src/models/pickService.ts';
import { NO_ICON } from '../../../src/platform/pick.ts';
import { spoken } from '../../support/spoken.ts';

const own: PortOwner = { kind: 'own', user: 'me' };

describe('the rows of the flow that adds a service', () => {
	const lmStudio: UsualServer = { slug: 'lmstudio', label: 'LM Studio', url: 'http://127.0.0.1:1234/v1' };
	const eight: UsualServer = {
		slug: 'llamacpp',
		label: 'llama.cpp',
		url: 'http://127.0.0.1:8080/v1',
		ownedBy: 'llamacpp',
	};
	const here = (server: UsualServer, isNamed: boolean, ...ids: string[]) => ({
		server,
		isNamed,
		owner: own,
		models: ids.map(id => ({ id, name: undefined, context_length: undefined })),
	});
	const rows = (...found: ReturnType<typeof here>[]) => serviceRows({ own: [], found: [], here: found }).map(spoken);

	it('name what runs here with its models and its user, and only a program that is certain', () => {
		assert.deepEqual(rows(here(lmStudio, true, 'one', 'two', 'three'), here(eight, false, 'any')).slice(0, 3), [
			'On this machine',
			`$(vm) LM Studio | 127.0.0.1:1234 | ${NO_ICON} one and 2 more · It runs as you, me.`,
			`$(vm) Model server at the default port of llama.cpp | 127.0.0.1:8080 | ${NO_ICON} any · It runs as you, me.`,
		]);
	});

	it('say where nothing was found, and offer to look again', () => {
		assert.match(
			rows().at(-1) ?? '',
			/Search This Machine Again .*default ports of Ollama, LM Studio, llama\.cpp and vLLM/,
		);
		assert.ok(!rows().includes('On this machine'));
	});

	it('leave out what the user has already, whatever name of this machine its address has', () => {
		const setting = { url: 'http://localhost:1234/v1' };
		const list = serviceRows({ own: [{ slug: 'groq', setting }], found: [], here: [here(lmStudio, true, 'one')] }).map(
			spoken,
		);
		assert.equal(list.filter(text => text.includes(':1234') || text.includes('Groq')).length, 0);
	});

	it('draw nothing of a server’s names as an icon, and never cut a list short without a way on', () => {
		const hostile = { id: '$(bug) model', name: '$(flame)', context_length: undefined };
		const draft = { label: 'Mine', url: 'http://127.0.0.1:1234/v1' };
		const [first, write] = modelRows(draft, { url: draft.url, state: 'fits', models: [hostile] });
		assert.equal(first?.label, `${NO_ICON} \\$(bug) model`);
		assert.equal(first?.description, '\\$(flame)');
		assert.match(write?.label ?? '', /Other Model…/);
		assert.match(
			modelRows(draft, { url: draft.url, state: 'fits', models: [] }).map(spoken).join('\n'),
			/has no models yet/,
		);
	});

	it('offer a connection only where it may be one, which a place without encryption may not', () => {
		const answer = { url: 'http://10.0.0.5/v1', state: 'fits' as const, models: [] };
		const draft = { label: 'Mine', url: answer.url };
		const offers = (rows: { label: string }[]) => rows.some(({ label }) => label.includes('Add It as a Connection…'));
		assert.equal(offers(modelRows(draft, answer)), false);
		assert.equal(offers(modelRows({ ...draft, parts: Promise.resolve({}) }, answer)), true);
	});
});
