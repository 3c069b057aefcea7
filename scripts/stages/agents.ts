import path from 'node:path';
import process from 'node:process';
import { findProgram } from '../../src/agents/sandbox/host.ts';
import { trySandbox } from '../../src/agents/sandbox/probe.ts';
import { ensureDependencies } from '../bootstrap/dependencies.mjs';
import { root } from '../bootstrap/folders.mjs';
import { ensureDebianPackage } from '../debianPackage.ts';
import { type MochaStage, runMocha } from './mocha.ts';
import type { Totals } from './totals.ts';

/** Installs bubblewrap if the user or CI agrees to that. Returns why there is no sandbox on this machine, if so. */
export async function prepareSandbox(): Promise<string | undefined> {
	if (process.platform !== 'linux') {
		return 'There is no sandbox for this system yet.';
	}
	try {
		await ensureDebianPackage({
			what: 'bubblewrap',
			packageName: 'bubblewrap',
			find: () => findProgram(['bwrap']),
			advice: 'The tests of the sandbox need bubblewrap 0.8 or newer. Install it.',
		});
	} catch (error) {
		return error instanceof Error ? error.message : String(error);
	}
	const status = await trySandbox();
	return status.works ? undefined : `bubblewrap does not work here (${status.problem}): ${status.detail}`;
}

/** Installs the agents that tests run, by their folder in test/support. Without a sandbox, none of them runs. */
export async function ensureAgents(folder: 'agents' | 'furtherAgents' = 'agents'): Promise<void> {
	if (process.platform === 'linux') {
		await ensureDependencies(path.join(root, 'test', 'support', folder));
	}
}

/** The test of agents that nothing else runs. They are a gigabyte to install. */
const FURTHER_AGENTS_TEST = 'test/agents/furtherAgents.test.ts';

/** Runs the tests of agents, in sandboxes of their own. Without a sandbox, all of them are skipped. */
export async function testAgents(
	stage: Pick<MochaStage, 'files' | 'args' | 'folder' | 'environment'>,
): Promise<Totals> {
	const tests = { ...stage, jobs: 3 };
	const reason = await prepareSandbox();
	if (reason === undefined) {
		await ensureAgents();
		const named = stage.args.filter(argument => argument.endsWith('.ts'));
		if ((named.length > 0 ? named : stage.files).includes(FURTHER_AGENTS_TEST)) {
			await ensureAgents('furtherAgents');
		}
		return runMocha(tests);
	}
	console.log(`  skipped  ${reason.replaceAll(/\s+/g, ' ')}`);
	return runMocha({ ...tests, args: [...stage.args, '--dry-run'] });
}
