import assert from 'node:assert/strict';
import { gitReason } from '../../../src/base/gitReason.ts';

describe('the reason why git failed, in one sentence,', () => {
	const of = (...lines: string[]) => gitReason({ message: 'Failed to execute git', stderr: `${lines.join('\n')}\n` });

	it('is what the server says, not what its hook greets with', () => {
		assert.equal(
			of(
				'remote: ======',
				'remote: Welcome to the forge',
				'remote: error: GH006: Protected branch update failed for refs/heads/main.',
				'To https://forge.example/crew/harbour.git',
				' ! [remote rejected] main -> main (protected branch hook declined)',
				"error: failed to push some refs to 'https://forge.example/crew/harbour.git'",
			),
			'remote: error: GH006: Protected branch update failed for refs/heads/main.',
		);
	});

	it('names the refused branch where the server gives no reason', () => {
		assert.equal(
			of(
				'remote: Have a nice day',
				'To https://forge.example/crew/harbour.git',
				' ! [rejected]        main -> main (fetch first)',
				"error: failed to push some refs to 'https://forge.example/crew/harbour.git'",
			),
			'! [rejected] main -> main (fetch first).',
		);
	});

	it('is the missing permission, not that the remote could not be read then', () => {
		assert.equal(
			of('ERROR: Permission to crew/harbour.git denied to robin.', 'fatal: Could not read from remote repository.', ''),
			'ERROR: Permission to crew/harbour.git denied to robin.',
		);
		assert.equal(
			of('git@forge.example: Permission denied (publickey).', 'fatal: Could not read from remote repository.'),
			'git@forge.example: Permission denied (publickey).',
		);
	});

	it('never repeats a name or password of an address, whatever is in it', () => {
		for (const secret of ['robin:sec@ret', 'sec@ret', 'robin:sec:ret', 'robin:sec%40ret']) {
			const reason = of(`fatal: unable to access 'https://${secret}@forge.example/crew/harbour.git/': gone`);
			assert.doesNotMatch(reason, /robin|sec|ret/);
			assert.match(reason, /https:\/\/forge\.example\/crew/);
		}
	});

	it('is short and on one line, and there is one even if git said nothing', () => {
		assert.ok(of(`fatal: ${'x'.repeat(5000)}`).length <= 201);
		assert.equal(gitReason(new Error('spawn git ENOENT')), 'spawn git ENOENT.');
		assert.equal(gitReason({}), '.');
	});
});
