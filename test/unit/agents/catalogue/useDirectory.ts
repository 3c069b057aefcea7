import { AgentDirectory, type OfferedModels } from '../../../../src/agents/catalogue/agentDirectory.ts';
import type { FoundAgent } from '../../../../src/agents/catalogue/entry.ts';
import type { SandboxStatus } from '../../../../src/contract/agents.ts';
import { ManualClock } from '../../../support/manualClock.ts';
import { type TestFolder, useFolder } from '../useFolder.ts';

export interface TestDirectory {
	readonly directory: AgentDirectory;
	readonly clock: ManualClock;
	readonly folder: TestFolder;
	/** The environment that the directory sees. PATH is the folder `bin`. */
	readonly environment: Record<string, string>;
	/** The models that the gateway offers. */
	offered: OfferedModels;
	sandbox: SandboxStatus;
	/** Errand's own agent. */
	own: FoundAgent | undefined;
	/** Makes the directory again, of what was set since. */
	restart(): void;
}

export const oneModel: OfferedModels = {
	models: [
		{ id: 'vendor/one', kinds: ['chat', 'responses'] },
		{ id: 'demo', kinds: ['chat', 'responses'] },
	],
	providers: [
		{ slug: 'server', models: ['vendor/one'] },
		{ slug: 'demo', models: ['demo'] },
	],
};

export const noModel: OfferedModels = { models: [], providers: [] };

/** Makes a new directory of agents before each test of the suite. */
export function useDirectory(): TestDirectory {
	const folder = useFolder();
	const test = { folder, environment: {}, offered: oneModel, sandbox: { works: true } } as unknown as {
		-readonly [K in keyof TestDirectory]: TestDirectory[K];
	};
	beforeEach(() => {
		test.environment = { PATH: folder.at('bin'), HOME: folder.at('home') };
		test.offered = oneModel;
		test.sandbox = { works: true };
		test.clock = new ManualClock();
		test.own = undefined;
		test.restart = () => {
			test.directory = create();
		};
		test.restart();
	});
	const create = () =>
		new AgentDirectory({
			builtIn: [
				{ id: 'demo', label: 'Demo', models: ['demo'] },
				{ id: 'demo-two', label: 'Demo Two', models: ['demo'] },
			],
			own: test.own,
			environment: test.environment,
			folder: folder.at('agents'),
			platform: 'linux-x64',
			describe: async () => test.offered,
			probeSandbox: async () => test.sandbox,
			clock: test.clock,
		});
	return test;
}
