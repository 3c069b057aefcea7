// The initial content of a new decision file. It needs no task, so it can be evaluated at once.
import type { DecisionFile } from './decisionFile.ts';

export const EXAMPLE: DecisionFile = {
	sources: { diff: { from: 'diff' } },
	questions: {
		kind: {
			type: 'choice',
			instructions: 'What kind of change is state.diff?',
			criteria: {
				feature: 'It adds something that users can do.',
				fix: 'It corrects wrong behaviour.',
				refactoring: 'It changes how the code is written and not what it does.',
				tests_or_docs: 'It changes tests or documentation only.',
				other: 'None of these, or several of them at once.',
			},
		},
		risk: {
			type: 'score',
			instructions: 'How risky is state.diff for those who use the program?',
			criteria: [
				'Nothing that users meet can break.',
				'Something small could break and would be noticed at once.',
				'Something important could break.',
				'Data could be lost or exposed.',
			],
		},
	},
};
