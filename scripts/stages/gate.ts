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
			'Whole tasks of the local service, with git and agents. taskRun, checkout, hostileRepository, stepChain, stopAtEachStep and lifecycle stand for them; for stepSearch findBreakingStep, the test of agents with its name and the window test taskSteps.',
		files: [
			...named('unit/service/tasks', [
				'agentRuns',
				'checkoutClones',
				'checkoutManyFiles',
				'checkoutSubmodules',
				'commitIdentity',
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
			'Minutes of kills, faults and repetitions, which show rare faults rather than what each change may break. hostileReplies and heldBackReplies stand for hostileFront, with its 250 rows, stepChain and the crashes in taskRun for stepKills.',
		files: named('unit', [
			'client/bodyFaults',
			'client/channel/hostileFront',
			'client/endurance',
			'client/poolFaults',
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
			'agent/failures',
			'agent/hostile',
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
			'platform/commitChanges',
			'platform/commitCopies',
			'platform/gitRemotes',
			'tasks/apply/checkoutBytes',
			'tasks/apply/plan',
			'tasks/branches/mergeBranch',
			'tasks/branches/remoteBranch',
			'tasks/results/hostileBranch',
		]),
	},
	{
		reason:
			'Turns of agents, each with git and a sandbox. allowedEdits, turnSteps and the window tests chatAgent and agentServers stand for them.',
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
			'Agents that take long in their sandboxes. What one can do there, and a whole task of our own, stay in the gate.',
		files: named('agents', [
			'compositions',
			'ending',
			'limits',
			'ordinaryUser',
			'ownAccount',
			'repositoryTests',
			'tasks',
			'tasksOfOpencode',
			'tasksOfPi',
			'variables',
			'working',
		]),
	},
	{
		reason:
			'Two agents that nothing else in a run of everything needs, and that take a gigabyte. mcpAgents stands for them.',
		files: named('agents', ['furtherAgents']),
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
			'Windows of their own for one test each. The window test chatAgent and approvalPolicy stand for an agent in several folders, and contributions for the scopes by which the editor keeps out the settings of a repository.',
		files: named('e2e', ['repositorySettings', 'severalFolders']),
	},
];

const outside = new Set(outsideGate.flatMap(({ files }) => files));

/** Returns whether `npm test` runs a test file. */
export function isInGate(file: string): boolean {
	return !outside.has(file);
}
