import assert from 'node:assert/strict';
import { ObjectReader } from '../../../../src/tasks/review/changeFiles.ts';
import { TemporaryRepository } from '../../../support/temporaryRepository.ts';

const MISSING = '0123456789'.repeat(4);

describe('the reader of objects', () => {
	let repository: TemporaryRepository;

	beforeEach(async () => {
		repository = await TemporaryRepository.create();
	});
	afterEach(() => repository.remove());

	const place = () => ({ gitPath: 'git', directory: repository.path, credentials: {} });

	async function objects(contents: Record<string, string | Uint8Array>): Promise<string[]> {
		for (const [name, content] of Object.entries(contents)) {
			await repository.write(name, content);
		}
		await repository.commitAll('Files');
		return Promise.all(Object.keys(contents).map(name => repository.head(`HEAD:${name}`)));
	}

	it('gives each asker its own content, byte for byte, whatever the contents hold', async () => {
		const contents = {
			a: 'a\n',
			empty: '',
			looks: `${MISSING} blob 3\nabc\n`,
			bytes: Uint8Array.from({ length: 256 }, (_, index) => index),
			last: 'no line feed',
		};
		const names = await objects(contents);
		const reader = new ObjectReader(1000);
		const read = await Promise.all([...names, MISSING].map(name => reader.read(place(), name)));
		assert.deepEqual(
			read.map(found => found && 'content' in found && found.content),
			[...Object.values(contents).map(content => Buffer.from(content)), undefined],
		);
	});

	it('says how large an object is that it does not read, and reads no commit as a file', async () => {
		const [small = '', large = ''] = await objects({ small: '12345', large: '123456' });
		const reader = new ObjectReader(5);
		const commit = await repository.head();
		assert.deepEqual(await Promise.all([small, large, commit].map(name => reader.read(place(), name))), [
			{ content: Buffer.from('12345') },
			{ tooLarge: 6 },
			undefined,
		]);
	});

	it('reads what was asked for meanwhile, and asks git once for what it has', async () => {
		const [one = '', other = ''] = await objects({ one: 'one', other: 'other' });
		const reader = new ObjectReader(100);
		const first = reader.read(place(), one);
		await Promise.resolve();
		await Promise.resolve();
		assert.deepEqual(await Promise.all([first, reader.read(place(), other)]), [
			{ content: Buffer.from('one') },
			{ content: Buffer.from('other') },
		]);
		await repository.remove();
		assert.deepEqual(await reader.read(place(), one), { content: Buffer.from('one') });
		await assert.rejects(reader.read(place(), MISSING));
	});

	it('goes on after git has failed', async () => {
		const [one = ''] = await objects({ one: 'one' });
		const reader = new ObjectReader(100);
		await assert.rejects(reader.read({ ...place(), gitPath: 'no-such-git' }, one));
		assert.deepEqual(await reader.read(place(), one), { content: Buffer.from('one') });
	});
});
