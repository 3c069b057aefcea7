import assert from 'node:assert/strict';
import fc from 'fast-check';
import { exportFile, readImportFile } from '../../../../src/connections/model/transfer.ts';
import { connectionSchema } from '../../../../src/contract/connection.ts';
import { ContractServer } from '../../../support/contractServer/contractServer.ts';
import { connectionFields, keys } from '../../../support/contractServer/fixtures.ts';

const valid = { apiUrl: 'https://api.example', service: 'acme' };

function imported(connections: unknown, present: unknown = {}, taken: string[] = ['local']) {
	const read = readImportFile(JSON.stringify({ 'errand.connections': connections }), present, taken);
	assert.ok('connections' in read);
	return read;
}

describe('connections in a file', () => {
	it('come out of it as they went in, with every field', async () => {
		const service = await ContractServer.start();
		const present = { quillon: { label: 'Quillon', ...connectionFields(service) }, small: valid };
		await service.stop();
		const { text, refused } = exportFile(present, ['quillon', 'small']);
		assert.deepEqual(refused, []);
		const read = readImportFile(text, present, ['local']);
		assert.ok('connections' in read);
		assert.deepEqual(
			read.connections.map(({ newName, value, dropped, isPresent }) => [newName, value, dropped, isPresent]),
			[
				['quillon', present.quillon, [], true],
				['small', present.small, [], true],
			],
		);
		for (const key of Object.values(keys)) {
			assert.ok(!text.includes(key));
		}
	});

	it('have no field there that no connection has, and nothing that looks like a key', () => {
		const { text } = exportFile({ acme: { ...valid, key: 'k-secret', models: [{ id: 'm', headers: { a: 1 } }] } }, [
			'acme',
		]);
		assert.deepEqual(JSON.parse(text), { 'errand.connections': { acme: { ...valid, models: [{ id: 'm' }] } } });
		for (const [field, value] of Object.entries({
			label: 'sk-0123456789abcdef',
			cloudTokenPrefix: 'tok_8d03b6e5a1c4f9e2',
			dashboardUrl: 'https://dash.example/sk-proj-Ab3dEf6hIj9kLm2n',
		})) {
			const file = exportFile({ acme: { ...valid, [field]: value } }, ['acme']);
			assert.deepEqual(file.refused, [{ name: 'acme', problem: { kind: 'secret', field } }]);
			assert.ok(!file.text.includes(value));
		}
	});

	it('keep the odd ids that models have', () => {
		const models = ['claude-3-5-sonnet-20241022-v2', 'xai-grok-2-latest-1212', 'llama-3b20240101abcd'].map(id => ({
			id,
		}));
		assert.deepEqual(exportFile({ acme: { ...valid, models } }, ['acme']).refused, []);
	});

	it('never take the name of one that is there, and say so of one that is the same', () => {
		const { connections } = imported(
			{ acme: { ...valid, apiUrl: 'https://elsewhere.example' }, same: valid },
			{ acme: valid, same: { service: 'acme', apiUrl: valid.apiUrl } },
			['local', 'acme', 'same', 'gone'],
		);
		assert.deepEqual(
			connections.map(({ newName, isPresent }) => [newName, isPresent]),
			[
				['acme 2', false],
				['same 2', true],
			],
		);
		assert.equal(imported({ local: valid }).connections[0]?.newName, 'local 2');
	});

	it('show every origin that they would reach, and what was left out of them', () => {
		const [connection] = imported({
			acme: { ...valid, cloudUrl: 'https://foreign.example/x', inferenceKey: 'k', agents: [{ id: 'a', token: 't' }] },
		}).connections;
		assert.deepEqual(connection?.origins, ['https://api.example', 'https://foreign.example']);
		assert.deepEqual(connection?.dropped, ['inferenceKey', 'agents.0.token']);
		assert.ok(!JSON.stringify(connection?.value).includes('"k"'));
	});

	it('are refused one by one with the reason, and the others stay', () => {
		const { connections, refused } = imported({
			fine: valid,
			clear: { ...valid, apiUrl: 'http://api.example' },
			credentials: { ...valid, cloudUrl: 'https://me:secret@cloud.example' },
			script: { ...valid, dashboardUrl: 'javascript:alert(1)' },
			type: { ...valid, models: 'large' },
			nothing: null,
			secret: { ...valid, label: 'Bearer abcdefgh' },
			hidden: { ...valid, label: 'Lo\u202ecal' },
			long: { ...valid, label: 'a'.repeat(501) },
			'$(bug)': valid,
		});
		assert.deepEqual(
			connections.map(({ name }) => name),
			['fine'],
		);
		assert.deepEqual(
			refused.map(({ name, problem }) => [name, problem.kind]),
			[
				['clear', 'invalid'],
				['credentials', 'invalid'],
				['script', 'invalid'],
				['type', 'invalid'],
				['nothing', 'invalid'],
				['secret', 'secret'],
				['hidden', 'hidden'],
				['long', 'long'],
				['$(bug)', 'name'],
			],
		);
	});

	it('do not come out of a file of another form', () => {
		const problem = (text: string) => {
			const read = readImportFile(text, {}, []);
			return 'problem' in read ? read.problem : undefined;
		};
		assert.equal(problem('{'), 'not-json');
		assert.equal(problem(''), 'not-json');
		for (const value of [null, 7, [], {}, { acme: valid }, { 'errand.connections': [valid] }]) {
			assert.equal(problem(JSON.stringify(value)), 'no-connections');
		}
		const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`c${index}`, valid]));
		assert.equal(problem(JSON.stringify({ 'errand.connections': many })), 'too-many');
		const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
		assert.equal(problem(`{"errand.connections":{"acme":${deep}}}`), 'no-connections');
	});

	it('can be looked for in any JSON: what is accepted is a connection, with a name that is free', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.constant(valid))), entries => {
				const read = readImportFile(JSON.stringify({ 'errand.connections': entries }), {}, ['local', 'a']);
				for (const { newName, value } of 'connections' in read ? read.connections : []) {
					assert.ok(connectionSchema.safeParse(value).success);
					assert.ok(!['local', 'a', '__proto__'].includes(newName));
				}
			}),
		);
	});
});
