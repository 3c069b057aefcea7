import assert from 'node:assert/strict';
import { holdsWords } from '../../../../src/tasks/model/holdsWords.ts';

describe('what is searched in a long list', () => {
	const row = { label: '$(git-branch) Release/2025', description: 'current · 4f1c9a7' };

	it('is label and description, by words in any order and case', () => {
		for (const typed of ['', ' ', '2025 release', 'RELEASE', '4f1c', 'current rel']) {
			assert.equal(holdsWords(row, typed), true, typed);
		}
		assert.equal(holdsWords(row, 'release 2026'), false);
		assert.equal(holdsWords({ label: 'main' }, 'main'), true);
	});

	it('is not the name of an icon', () => {
		assert.equal(holdsWords(row, 'git'), false);
		assert.equal(holdsWords(row, 'branch'), false);
	});
});
