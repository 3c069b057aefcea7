import assert from 'node:assert/strict';
import { createClient } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/core/fetchTransport.ts';
import type { Client } from '../../../src/client/types.ts';
import { connectionSchema } from '../../../src/contract/connection.ts';
import { commands } from '../../../src/platform/ids.ts';
import { explainError } from '../../../src/platform/notify.ts';
import { explainList, isForDashboard } from '../../../src/tasks/common/dashboard.ts';
import { ContractServer } from '../../support/contractServer/contractServer.ts';
import { connectionFields, keys, specialKeys } from '../../support/contractServer/fixtures.ts';
import { taskIds } from '../../support/contractServer/taskFixtures.ts';

const wrongKey = { cloud: `${keys.cloud}-wrong`, agent: `${keys.agent}-wrong` };

/** Each row of the contract's error tables for tasks: the call, its key, the sentence and the button. */
interface Row {
	what: string;
	cloud?: string;
	agent?: string;
	/** Where the client never sends what would bring it: the service says it all the same. */
	status?: number;
	call(client: Client): Promise<unknown>;
	sentence: RegExp;
	button?: string;
	/** If the connection has the address of a dashboard, the button leads there instead. */
	isForDashboard?: true;
}

const first = async (events: AsyncIterable<unknown>) => {
	for await (const _event of events) {
		return;
	}
};
const list = (client: Client) => client.tasks.list();
const create = (client: Client) =>
	client.tasks.create({ prompt: 'Mend it', repoUrl: 'https://forge.example/harbour-crew/harbour.git' });
const lookUps: [string, (client: Client) => Promise<unknown>][] = [
	['repositories', client => client.sources.repositories('acme')],
	['branches', client => client.sources.branches('acme', 'widgets')],
	['organisations', client => client.sources.organisations()],
];
const refused = /^Quillon rejected the key/;

const rows: Row[] = [
	{ what: 'list 401', cloud: wrongKey.cloud, call: list, sentence: refused, button: commands.manageKeys },
	{
		what: 'list 500',
		cloud: specialKeys.brokenDatabase,
		call: list,
		sentence: /^Quillon had an internal error: The database operation failed\. Try again\.$/,
		button: commands.showLog,
	},
	{
		what: 'log stream 401',
		cloud: wrongKey.cloud,
		call: client => first(client.tasks.follow('task-1')),
		sentence: refused,
		button: commands.manageKeys,
	},
	{
		what: 'log stream 404',
		call: client => first(client.tasks.follow('no-such-task')),
		sentence: /^Quillon couldn’t find what was requested/,
	},
	...lookUps.flatMap(([name, call]): Row[] => [
		{ what: `${name} 401`, cloud: wrongKey.cloud, call, sentence: refused, button: commands.manageKeys },
		{
			what: `${name} 404`,
			cloud: specialKeys.withoutSourceLink,
			call,
			sentence: /^Quillon isn’t linked to your source hosting.* Link it in the service’s dashboard\./,
			isForDashboard: true,
		},
		{
			what: `${name} 502`,
			cloud: specialKeys.brokenSource,
			call,
			sentence: /^Quillon got no response from a service it depends on.* Try again\.$/,
			button: commands.showLog,
		},
		{
			what: `${name} 500`,
			cloud: specialKeys.brokenDatabase,
			call,
			sentence: /^Quillon had an internal error.* Try again\.$/,
			button: commands.showLog,
		},
		...(name === 'organisations'
			? []
			: [{ what: `${name} 400`, status: 400, call, sentence: /^Quillon rejected the request/ }]),
	]),
	{
		what: 'branches 404 for a repository that is not there',
		call: client => client.sources.branches('harbour-crew', 'no-such-repository'),
		sentence: /^Quillon couldn’t find what was requested: Repository not found or no access\. Refresh/,
	},
	{ what: 'creation 400', status: 400, call: create, sentence: /^Quillon rejected the request/ },
	{ what: 'creation 401', cloud: wrongKey.cloud, call: create, sentence: refused, button: commands.manageKeys },
	{
		what: 'creation 402',
		cloud: specialKeys.withoutCredit,
		call: create,
		sentence: /^The account on Quillon is out of credit or quota: Not enough credit\. Add/,
		isForDashboard: true,
	},
	{
		what: 'creation 403',
		cloud: specialKeys.outsideTeam,
		call: create,
		sentence: /^Quillon doesn’t allow this for the key’s account: You are not a member of the selected team\.$/,
		button: commands.manageKeys,
	},
	{
		what: 'creation 404',
		cloud: specialKeys.withoutSourceLink,
		call: create,
		sentence: /^Quillon isn’t linked to your source hosting.* Link it in the service’s dashboard\./,
		isForDashboard: true,
	},
	{
		what: 'creation 502',
		cloud: specialKeys.brokenSource,
		call: create,
		sentence: /^Quillon got no response from a service it depends on: The source host failed\. Try again\.$/,
		button: commands.showLog,
	},
	{
		what: 'stop 404',
		call: client => client.tasks.stop('no-such-task'),
		sentence: /^Quillon couldn’t find what was requested.* Refresh/,
	},
	{
		what: 'stop of a task that is over',
		call: client => client.tasks.stop(taskIds.completed),
		sentence: /^Quillon rejected the request: The task is not running\.$/,
	},
	{
		what: 'further prompt 404',
		call: client => client.tasks.continue('no-such-task', { prompt: 'Go on' }),
		sentence: /^Quillon couldn’t find what was requested.* Refresh/,
	},
	{
		what: 'agent tasks 401',
		agent: wrongKey.agent,
		call: client => client.agentTasks.list(),
		sentence: refused,
		button: commands.manageKeys,
	},
	{
		what: 'agent tasks 403',
		agent: specialKeys.agentWithoutPlan,
		call: client => client.agentTasks.list(),
		sentence: /^This account’s plan on Quillon doesn’t include this: Please subscribe to the Pro plan/,
		button: commands.manageKeys,
	},
];

describe('every documented error of the task service', () => {
	let server: ContractServer;

	beforeEach(async () => {
		server = await ContractServer.start();
	});

	afterEach(() => server?.stop());

	const clientOf = (own: { cloud?: string; agent?: string } = {}) => {
		const held: Record<string, string | undefined> = { ...keys, ...own };
		return createClient({
			connection: { name: 'quillon', ...connectionSchema.parse(connectionFields(server)) },
			keys: kind => Promise.resolve(held[kind]),
			transport: createFetchTransport((input, init) => fetch(input, init)),
		});
	};

	async function errorOf({ status, call, ...own }: Pick<Row, 'status' | 'call' | 'cloud' | 'agent'>): Promise<unknown> {
		if (status !== undefined) {
			server.answer(({ host }) => host === 'cloud', { status, headers: {} });
		}
		const error = await call(clientOf(own)).then(
			() => undefined,
			(reason: unknown) => reason,
		);
		assert.ok(error, 'nothing was wrong');
		return error;
	}

	for (const row of rows) {
		it(`has its sentence and its button: ${row.what}`, async () => {
			const error = await errorOf(row);
			const { message, action } = explainError(error, 'Quillon');
			assert.match(message, row.sentence);
			assert.equal(action?.command, row.button);
			assert.equal(isForDashboard(error), row.isForDashboard === true);
		});
	}

	it('has its sentence: list 403', async () => {
		const error = await errorOf({ call: list, cloud: specialKeys.outsideTeam });
		assert.match(
			explainList(error, 'Quillon'),
			/^You aren’t a member of the selected team\. Select a different team.* It said: “You are not a member of the selected/,
		);
	});
});
