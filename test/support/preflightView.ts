import { findingFixes } from '../../src/tasks/launch/preflightFixes.ts';
import { type PreflightView, preflightRows } from '../../src/tasks/launch/preflightList.ts';
import type { NeedsCheck } from '../../src/tasks/launch/serviceCheck.ts';
import type { PreflightFinding } from '../../src/tasks/model/findings.ts';
import { agents } from './contractServer/fixtures.ts';
import { launchFacts, launchPlace } from './launchFacts.ts';

export const connection = { name: 'quillon', label: 'Quillon', isLocal: false, hasLookUps: true, agents };
export const facts = launchFacts({
	target: { ...launchPlace, repoUrl: 'https://host.example/x', there: 'a', here: 'a' },
});
export const choices = { agents: [], installDependencies: false, maxDuration: 0 };

/** Returns the fixes for a finding. Each fix that is applied is recorded in `done`. */
export const fixesOf = (finding: PreflightFinding, dashboardUrl: string | undefined, done: unknown[] = []) =>
	findingFixes(finding, {
		check: {
			choose: change => void done.push(change),
			gather: async () => void done.push('gather'),
			askAgain: async () => void done.push('ask'),
			needs: { answer: (answers: unknown) => done.push(answers) } as never as NeedsCheck,
		},
		folder: undefined,
		dashboardUrl,
		chooseBranch: () => done.push('branch'),
		getMissingFiles: async remote => void done.push(`get ${remote}`),
		chooseAgents: () => done.push('agents'),
	});

/** Returns what is so before a task without findings is sent, with some changes. */
export const viewOf = (changes: Partial<PreflightView>): PreflightView => ({
	prompt: 'Fix it',
	connection,
	choices,
	repository: 'widgets',
	hasOtherRepositories: false,
	branch: 'fix-login',
	facts,
	plan: undefined,
	findings: [],
	servers: [],
	fixesOf: finding => fixesOf(finding, 'https://dashboard.example'),
	...changes,
});

/** Returns the rows of that. */
export const rowsOf = (changes: Partial<PreflightView>) => preflightRows(viewOf(changes));
