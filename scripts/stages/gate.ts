/** Test files that `npm test` leaves to `npm run test:all`, with the reason. */
export interface Exclusion {
	reason: string;
	/** The paths from the project's folder. */
	files: readonly string[];
}

const named = (folder: string, names: readonly string[]) => names.map(name => `test/${folder}/${name}.test.ts`);

/** The service for a team needs a PostgreSQL, and its parts are tested with the stores and routes that it shares. */
export const stagesOutsideGate: readonly string[] = ['team'];

/**
 * The test files outside the gate. Any file not listed here is in it, including a new one. A file leaves the gate with
 * a reason, and with something in the gate that stands in for it.
 */
export const outsideGate: readonly Exclusion[] = [
	{
		reason:
			'Whole tasks of the local service, with git and agents. taskRun, checkout, hostileRepository, stepChain, stopAtEachStep and lifecycle stand for them; for stepSearch findBreakingStep and the test of agents with its name.',
		files: [
			...named('unit/service/tasks', [
				'agentRepository',
				'agentRuns',
				'checkoutClones',
				'checkoutIgnored',
				'checkoutManyFiles',
				'checkoutSpecialFiles',
				'checkoutSubmodules',
				'commitIdentity',
				'compositions',
				'demoAgent',
				'dependencies/installThroughRelay',
				'dependencies/installations',
				'followUp',
				'fullDisk',
				'killedService',
				'logStream',
				'repositoryTests',
				'stepSearch',
				'steps',
				'taskRecovery',
				'taskRoutes',
				'taskRunner',
				'workFolder',
			]),
			...named('unit/service', [
				'agents/agents',
				'channel/clientOfTheService',
				'inference/upstreams/foundServers',
				'localServicePage',
				'sources/sourceRoutes',
			]),
			'test/unit/localService/supervisor.test.ts',
		],
	},
	{
		reason:
			'Minutes of kills, faults and repetitions, which show rare faults rather than what each change may break. hostileReplies and heldBackReplies stand for hostileFront, with its 250 rows, stepChain and the crashes in taskRun for stepKills, fuzz for properties.',
		files: named('unit', [
			'client/bodyFaults',
			'client/channel/hostileFront',
			'client/endurance',
			'client/followFaults',
			'client/poolFaults',
			'client/properties',
			'client/wireFaults',
			'service/manyStreams',
			'service/store/kills',
			'service/tasks/stepKills',
			'tasks/apply/histories',
		]),
	},
	{
		reason:
			'Programs of their own that meet hostile or failing peers. agent, calls, openAgentSession, undiciTransport and mcp/server stand for them.',
		files: named('unit', [
			'agent/background',
			'agent/failures',
			'agent/hostile',
			'agent/images',
			'agent/length',
			'agent/previews',
			'agent/repairs',
			'agents/install/installAgent',
			'agents/session/hostileAgent',
			'client/core/undiciProxy',
			'mcp/hostile',
		]),
	},
	{
		reason:
			'Two whole builds in two copies of the project. softwareBom and thirdPartyNotices stand for what is in them, and the window test extension for the package.',
		files: named('unit/scripts/packaging', ['reproducible']),
	},
	{
		reason: 'Each starts git hundreds of times. applyChanges and checkOut stand for them.',
		files: named('unit', [
			'host/branchCommands',
			'host/partialClone',
			'platform/commitChanges',
			'platform/commitCopies',
			'platform/gitRemotes',
			'tasks/apply/checkoutBytes',
			'tasks/apply/composition',
			'tasks/apply/plan',
			'tasks/branches/mergeBranch',
			'tasks/branches/remoteBranch',
			'tasks/results/hostileBranch',
		]),
	},
	{
		reason:
			'Turns of agents, each with git and a sandbox. allowedEdits, turnSteps and the window test chatAgent stand for them, and the unit test agentServers for turnServers.',
		files: named('unit/host', [
			'agentInjection',
			'agentSteps',
			'agentTurns',
			'turnFiles',
			'turnFilesDamage',
			'turnServers',
		]),
	},
	{
		reason:
			'Agents that take long in their sandboxes. What one can do there, a whole task of our own, and a turn with MCP servers stay in the gate.',
		files: named('agents', [
			'compositions',
			'ending',
			'limits',
			'ordinaryUser',
			'ownAccount',
			'repositoryTests',
			'taskServers',
			'tasks',
			'tasksOfOpencode',
			'tasksOfPi',
			'variables',
			'working',
		]),
	},
	{
		reason:
			'Agents of others with MCP servers, two of which nothing else in a run of everything needs, and which take a gigabyte. mcpServers and openAgentSession stand for them.',
		files: named('agents', ['furtherAgents', 'mcpAgents']),
	},
	{
		reason:
			'Services with faults, which show that the proofs of the contract notice them. The proofs themselves stay, and so does everyFault.',
		files: named('conformance/faults', ['channel', 'inference', 'inferenceRules', 'taskRules', 'tasks']),
	},
	{
		reason:
			'Replies that are made to be slow, which nobody meets by chance. The unit tests of Markdown with hostile input stand for it, and code for what colours it.',
		files: named('page', ['hostile']),
	},
	{
		reason:
			'Each state of the chat in every theme. The tests of the reports stand for the colours and widths, and those of the chat for what its states do.',
		files: named('page', ['looks']),
	},
	{
		reason:
			'Services that answer late, and windows that are reloaded. The unit tests logDocument, preflight and diagnosis stand for them, and launch.',
		files: named('editor', ['diagnoseConnection', 'launchNeeds', 'launchReload', 'logDocument']),
	},
	{
		reason: 'It needs the npm registry each time. The test of agents with its name stands for it.',
		files: named('interoperability', ['serverPackages']),
	},
	{
		reason: 'A window of its own, for what the unit test of the same profile reads part by part.',
		files: named('e2e', ['profile']),
	},
	{
		reason:
			'A window of its own in the pseudo-language. The page test language stands for what is cut off in the chat, and localization for texts that the bundle of the translators lacks.',
		files: named('e2e', ['pseudoLanguage']),
	},
	{
		reason:
			'Stories whose parts stand in the gate: mcp/server, mcpOffer and languageModelRequests for what others are offered, the unit test agentServers, gate and the agents’ mcpServers for servers of the chat’s agent, the decisions of the editor and their page, and for the steps of a task stepChain, its agents’ stepSearch, the editor’s taskSteps and the page steps.',
		files: named('e2e', ['agentServers', 'decisions', 'offers', 'taskSteps']),
	},
	{
		reason:
			'Windows of their own for one test each. The window test chatAgent and approvalPolicy stand for an agent in several folders, and contributions for the scopes by which the editor keeps out the settings of a repository.',
		files: named('e2e', ['repositorySettings', 'severalFolders']),
	},
];

const outside = new Set(outsideGate.flatMap(({ files }) => files));

/** Returns whether `npm test` runs a test file. */
export function isInGate(file: string): boolean {
	return !outside.has(file);
}
