import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFilteredFiles } from '../../../../src/service/tasks/filteredFiles.ts';
import { useCheckout } from './useCheckout.ts';

describe('the files of a checkout that a filter keeps', () => {
	const at = useCheckout();
	const find = async (checkout: Awaited<ReturnType<typeof at.checkOut>>) =>
		findFilteredFiles(checkout, AbortSignal.timeout(10_000));

	it('are those that the attributes of the tree name a filter for, whatever is configured', async () => {
		await at.repository.write('.gitattributes', '*.bin filter=lfs diff=lfs -text\n*.txt -filter\n*.md filter\n');
		await at.repository.write('in/.gitattributes', '*.secret filter=git-crypt\nplain.bin !filter\n');
		for (const name of ['a.bin', 'é\n.bin', 'b.txt', 'in/c.secret', 'in/plain.bin', 'd.secret']) {
			await at.repository.write(name, 'pointer\n');
		}
		await at.repository.commitAll('Kept by filters');
		assert.deepEqual((await find(await at.checkOut())).sort(), ['a.bin', 'in/c.secret', 'é\n.bin']);
	});

	it('are none where no attribute names a filter', async () => {
		await at.repository.write('.gitattributes', '* text=auto\n');
		await at.repository.commitAll('Line ends');
		assert.deepEqual(await find(await at.checkOut()), []);
	});

	it('are among those of a commit once it is made', async () => {
		await at.repository.write('a.bin', 'pointer\n');
		await at.repository.commitAll('A file');
		const checkout = await at.checkOut();
		await writeFile(path.join(checkout.tree, '.gitattributes'), '*.bin filter=lfs\n');
		await writeFile(path.join(checkout.tree, 'b.bin'), 'content\n');
		await checkout.commit('More');
		assert.deepEqual(await find(checkout), ['a.bin', 'b.bin']);
	});
});
