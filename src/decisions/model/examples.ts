// The initial contents of new decision files. The first needs no task, so it can be evaluated at once.
import type { DecisionFile } from './decisionFile.ts';

export type ExampleName = 'classify' | 'triage' | 'ready';

export const EXAMPLES: Readonly<Record<ExampleName, DecisionFile>> = {
	classify: {
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
	},
	triage: {
		sources: { prompt: { from: 'task-prompt' }, log: { from: 'task-log' } },
		questions: {
			cause: {
				type: 'choice',
				instructions: 'Why did the task in state.prompt fail, judged by state.log?',
				criteria: {
					tests_failed: 'The work was done, but tests, a build or a check did not pass.',
					agent_mistake: 'The agent misunderstood the task or broke something itself.',
					environment: 'A program, a package, a permission or a network was missing.',
					limit_reached: 'A limit of time, cost or memory was reached.',
					other: 'None of these, or the log does not say.',
				},
			},
			severity: {
				type: 'score',
				instructions: 'How much work is needed before the task can succeed?',
				criteria: [
					'None: starting it again is enough.',
					'A setting or a sentence of the prompt has to change.',
					'Code or dependencies of the repository have to change first.',
				],
			},
			retry: {
				type: 'noul',
				instructions: 'The task would succeed if it were started again without any change.',
				criteria: { true: 'What went wrong was temporary.', false: 'The same would go wrong again.' },
			},
		},
	},
	ready: {
		sources: { prompt: { from: 'task-prompt' }, changes: { from: 'task-changes' } },
		questions: {
			done: {
				type: 'noul',
				instructions: 'The diff in state.changes does everything that state.prompt asks for.',
				criteria: { true: 'Every point of it is done.', false: 'Something is missing or done differently.' },
			},
			blocker: {
				type: 'choice',
				instructions: 'What stands most in the way of merging state.changes?',
				criteria: {
					nothing: 'It can be merged as it is.',
					missing_tests: 'It needs tests, or tests of it are wrong.',
					wrong_behaviour: 'It does something wrong.',
					too_much: 'It changes things that nobody asked for.',
					other: 'Something else.',
				},
			},
		},
	},
};
