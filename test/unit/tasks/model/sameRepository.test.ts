import assert from 'node:assert/strict';
import { repositoryKey } from '../../../../src/tasks/model/sameRepository.ts';

describe('the key of a repository', () => {
	it('is one for every way of writing its address', () => {
		const key = repositoryKey('https://host.example/acme/widgets');
		for (const address of [
			'https://host.example/acme/widgets.git',
			'http://Host.example/Acme/widgets/',
			'git@host.example:acme/widgets.git',
			'ssh://git@host.example/acme/widgets',
			'https://user:secret@host.example/acme/widgets.git',
		]) {
			assert.equal(repositoryKey(address), key, address);
		}
		assert.equal(repositoryKey('file:///projects/widgets'), repositoryKey('/projects/widgets/'));
	});

	it('tells repositories apart, and is none for what names none', () => {
		assert.notEqual(
			repositoryKey('https://host.example/acme/widgets'),
			repositoryKey('https://host.example/acme/widgets2'),
		);
		assert.notEqual(repositoryKey('/projects/widgets'), repositoryKey('/projects/Widgets'));
		assert.equal(repositoryKey(''), undefined);
		assert.equal(repositoryKey('ext::sh -c x'), undefined);
	});
});
