import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isBranchName } from '../../../../src/service/tasks/repoUrl.ts';
import { branchNameOf, commitSubject } from '../../../../src/service/tasks/taskNames.ts';

const ID = '01234567-89ab-cdef-0123-456789abcdef';

describe('commitSubject', () => {
	it('is the first line that says something, without what cannot be seen', () => {
		assert.equal(commitSubject('\n \t\nFix   the\u0007 \u202elogin\r\nmore'), 'Fix the login');
		assert.equal(commitSubject(' \n\u200b\n'), 'Errand task');
		assert.equal(commitSubject('\u3164\n\u{e0041}\u034f\nFix\u00ad it 👩‍💻'), 'Fix it 👩‍💻');
	});

	it('is short, cut between whole characters', () => {
		const subject = commitSubject('😀'.repeat(100));
		assert.equal([...subject].length, 72);
		assert.ok(subject.endsWith('😀…'));
	});
});

describe('branchNameOf', () => {
	const task = (prompt: string) => ({ prompt, id: ID, multiLaunch: false });

	it('says what the task is about, in ASCII', () => {
		assert.equal(branchNameOf(task('Fix the Login, please!'), 0), 'errand/fix-the-login-please-01234567');
		assert.equal(branchNameOf(task('修复登录'), 0), 'errand/task-01234567');
		assert.equal(branchNameOf({ ...task('Both'), multiLaunch: true }, 1), 'errand/both-01234567-2');
	});

	it('is always a name that git takes', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), prompt => {
				const name = branchNameOf(task(prompt), 0);
				assert.match(name, /^errand\/[a-z\d]+(?:-[a-z\d]+)*-01234567$/);
				assert.ok(isBranchName(name));
			}),
		);
	});
});
