// Is it ready? The questions about the changes of a task.
import type { Asked } from './sending.ts';

/** Returns the request that compares a task's prompt with its changes. */
export function readinessRequest(prompt: string, changes: string): Asked {
	return {
		state: { prompt, changes },
		questions: {
			done: {
				type: 'noul',
				instructions: 'The diff in state.changes does everything that state.prompt asks for.',
				criteria: {
					true: 'Every point of the prompt is done, as far as the diff shows.',
					false: 'Something that the prompt asks for is missing, unfinished or done differently.',
				},
			},
			nothing_else: {
				type: 'noul',
				instructions: 'The diff in state.changes changes nothing that state.prompt did not ask for.',
				criteria: {
					true: 'Every change serves the prompt.',
					false: 'There are changes that the prompt neither asks for nor needs.',
				},
			},
			readiness: {
				type: 'score',
				instructions: 'How ready is the diff in state.changes to be merged, as an answer to state.prompt?',
				criteria: [
					'Not usable: it is wrong, broken or about something else.',
					'A start: the direction is right, but much is missing.',
					'Nearly ready: small corrections or tests are missing.',
					'Ready: complete, tested where it can be, and readable.',
				],
			},
		},
	};
}
