import { describeError } from '../../base/errors.ts';
import { isTestFile } from '../../base/testFile.ts';
import type { TestOutcome } from '../../contract/agents.ts';
import type { Checkout } from './checkout.ts';
import { type CommandEnd, runInCopy, type TestPlace } from './commandRun.ts';
import type { ProgramLog } from './taskLog.ts';
import { listed } from './taskNames.ts';
import { findTestCommand } from './testCommand.ts';

const STEP = 'running_tests';
const GIT_MS = 60_000;

export interface WorkToTest {
	checkout: Checkout;
	/** The commit where the branch began. The command is taken from it, so that no agent chooses how it is judged. */
	base: string;
	commit: string;
}

export interface TestResult {
	/** The outcome, or null if it is not known: the repository does not say how it is tested, or there were no tests. */
	tests: TestOutcome | null;
	testFilesChanged: number;
}

/**
 * Runs the repository's tests once more after an agent has ended, because the agent's own account of them may be wrong.
 * Never rejects: the branch exists, whatever the result of the tests. A task that is stopped meanwhile has no result.
 *
 * A pass means that the command from before the work succeeded on the files of the commit alone. The commit still
 * decides that through its tests and their settings, which the work may have changed.
 */
export async function runRepositoryTests(
	work: WorkToTest,
	where: TestPlace,
	log: ProgramLog,
	signal: AbortSignal,
): Promise<TestResult> {
	try {
		// The task, and with it its signal, may be stopped at any time.
		const checkout = work.checkout.withSignal(AbortSignal.timeout(GIT_MS));
		return await testOnce({ ...work, checkout }, where, log, signal);
	} catch (error) {
		notPrepared(log, error);
		return { tests: null, testFilesChanged: 0 };
	}
}

async function testOnce(work: WorkToTest, where: TestPlace, log: ProgramLog, signal: AbortSignal): Promise<TestResult> {
	const { checkout, base, commit } = work;
	const changed = (await checkout.changedFiles(base, commit)).filter(isTestFile);
	if (changed.length > 0) {
		log.step(STEP, `The work has changed files of tests: ${listed(changed)}.`, 'warning');
	}
	const found = await findTestCommand(name => checkout.textAt(base, name));
	const testFilesChanged = changed.length;
	if (found === undefined || signal.aborted) {
		return { tests: null, testFilesChanged };
	}
	const { command, source } = found;
	log.step(STEP, `Running the tests once more: "${command}", as ${source} says where the branch began…`);
	const tests = await runInCopy({ checkout, commit, command, scriptsOf: base }, where, log, signal).then(
		end => told(end, log),
		(error: unknown) => {
			if (signal.aborted) {
				log.step(STEP, 'The tests were stopped before their end.', 'warning');
				return null;
			}
			notPrepared(log, error);
			return 'not-run' as const;
		},
	);
	return { tests, testFilesChanged };
}

function told({ outcome, sentence }: CommandEnd, log: ProgramLog): TestOutcome | null {
	if (outcome === 'passed') {
		log.step(STEP, 'Tests passed.', 'success');
		return outcome;
	}
	log.step(STEP, outcome === 'failed' ? `Tests failed: ${sentence}` : sentence, 'warning');
	return outcome === 'no-tests' ? null : outcome;
}

function notPrepared(log: ProgramLog, error: unknown): void {
	log.step(STEP, `The tests could not be prepared (${describeError(error)}), so nothing is known of them.`, 'warning');
}
