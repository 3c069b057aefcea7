import assert from 'node:assert/strict';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { useOwnAgent } from '../../../support/useOwnAgent.ts';

describe('files that are found by a pattern', () => {
	const own = useOwnAgent();
	const put = (name: string, text = `${name}\n`) => {
		mkdirSync(path.dirname(path.join(own.folder, name)), { recursive: true });
		writeFileSync(path.join(own.folder, name), text);
	};
	/** Returns the result for each input, as lines. */
	async function found(...inputs: object[]): Promise<string[][]> {
		const agent = await own.start();
		own.server.play({ calls: inputs.map(input => ({ name: 'glob', input })) }, { text: 'Done.' });
		assert.equal(await agent.session.prompt('Go'), 'end_turn');
		return (own.server.requests.at(-1)?.results ?? []).map(result => result.split('\n'));
	}

	it('are those that git does not ignore, empty ones and what is no text among them', async () => {
		put('.gitignore', 'out/\n*.log\n');
		put('src/b.ts');
		put('src/deep/a.ts');
		put('src/empty.ts', '');
		put('src/image.ts', 'a\0b');
		put('src/a.log');
		put('out/c.ts');
		put('top.ts');
		assert.deepEqual(
			await found({ pattern: 'src/**/*.ts' }, { pattern: '*.ts' }, { pattern: '**/config' }, { pattern: '*.md' }),
			[
				['src/b.ts', 'src/deep/a.ts', 'src/empty.ts', 'src/image.ts'],
				['top.ts'],
				['Nothing was found.'],
				['Nothing was found.'],
			],
		);
	});

	it('are sorted by path, or by time with the newest first', async () => {
		for (const [age, name] of ['b.ts', 'c.ts', 'a.ts'].entries()) {
			put(name);
			utimesSync(path.join(own.folder, name), 1_000, 1_000 - age);
		}
		assert.deepEqual(await found({ pattern: '*' }, { pattern: '*', sort: 'time' }), [
			['a.ts', 'b.ts', 'c.ts'],
			['b.ts', 'c.ts', 'a.ts'],
		]);
	});

	it('are listed up to a bound', async () => {
		for (let index = 0; index < 310; index++) {
			put(`many/${index}.txt`);
		}
		const [lines = []] = await found({ pattern: 'many/*' });
		assert.deepEqual([lines.length, lines.at(-1)], [301, '(10 more)']);
	});

	it('lie in the folder, whatever the pattern says', async () => {
		put('a.ts');
		writeFileSync(path.join(own.scratch, 'outside.ts'), '');
		const said = await found(
			{ pattern: '../*.ts' },
			{ pattern: `${own.scratch}/*.ts` },
			{ pattern: 'x/../../*.ts' },
			{ pattern: `${own.folder}/*.ts` },
		);
		assert.ok(said.slice(0, 3).every(([line]) => /leads out of the working folder/.test(line ?? '')));
		assert.deepEqual(said[3], ['a.ts']);
	});
});
