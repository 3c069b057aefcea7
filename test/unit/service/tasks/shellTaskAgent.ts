import assert from 'node:assert/strict';
import { childEnvironment } from '../../../../src/base/childEnvironment.ts';
import type { Agent } from '../../../../src/service/tasks/agent.ts';
import type { RunServices } from '../../../../src/service/tasks/runServices.ts';
import { COMPILE_CACHE } from '../../../support/programs.ts';
import { shellAgentArguments } from '../../../support/shellAgent.ts';

/**
 * Returns an agent that runs a line of shell in the tree. It counts as built in, so it needs no sandbox and nothing of
 * its work is kept.
 */
export function shellTaskAgent(line: () => string, id = 'shell'): Agent {
	return {
		id,
		label: id,
		models: ['none'],
		isBuiltIn: true,
		megabytes: 10,
		launch: async () => ({
			command: process.execPath,
			args: shellAgentArguments(line()),
			programs: [],
			env: childEnvironment(process.env, COMPILE_CACHE),
			files: {},
			modes: [],
			usesAccount: false,
		}),
	};
}

/** What agents get that are built in: they need nothing of the service. */
export const NO_SERVICES: RunServices = {
	probeSandbox: async () => ({ works: false, problem: 'platform' }),
	allowsUnsandboxed: async () => false,
	dependencyAnswer: async () => undefined,
	allowsSearch: async () => false,
	rememberMissing: async () => {},
	openModels: () => assert.fail('no agent here has a model'),
	privateFolders: [],
	insideProgram: '',
};
