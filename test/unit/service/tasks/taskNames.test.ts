import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isBranchName } from '../../../../src/service/tasks/repoUrl.ts';
import { branchNameOf, commitSubject, newBranchOf } from '../../../../src/service/tasks/taskNames.ts';

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

describe('newBranchOf', () => {
	const task = { prompt: 'Both', id: ID, multiLaunch: true, turn: 3 };
	const first = { position: 0, branchName: null };

	it('is never the name of another turn, agent or attempt', () => {
		assert.equal(newBranchOf(task, first), 'errand/both-01234567-1');
		const further = { position: 1, branchName: 'errand/both-01234567-2' };
		const names = [first, further].flatMap(execution =>
			[1, 2, 3].map(attempt => newBranchOf(task, execution, attempt)),
		);
		assert.equal(new Set(names).size, 6);
		assert.equal(names.at(-1), 'errand/both-01234567-2-3-attempt-3');
		assert.ok(names.every(isBranchName));
	});
});
