import { deploymentSettings, taskFields } from '../../support/contractServer/taskFixtures.ts';
import { type Fault, inEvent, inReply, inRequest, missing, withoutEvent, withStatus } from './fault.ts';

const LIST = /^GET \/api\/tasks$/;
const TASK = /^GET \/api\/tasks(\/[^/]+)?$/;
const CREATE = /^POST \/api\/tasks$/;
const STREAM = /\/stream$/;
const LOOK_UP = /^GET \/api\/[^/]+\/(orgs|repos|branches)$/;
const ANY = /./;

/** These faults concern the list and a single task alike, because a proof may read either. */
const fieldsOfTasks: readonly Fault[] = taskFields.flatMap((field, index) =>
	field === deploymentSettings
		? []
		: {
				what: `a task without ${field}`,
				breaks: `cloud-tasks/task/${index + 1}`,
				tampering: {
					reply(reply, request) {
						for (const path of [`json.tasks.*.${field}`, `json.task.${field}`, `json.${field}`]) {
							inReply(TASK, path, missing).reply?.(reply, request);
						}
					},
				},
			},
);

const entryFields: readonly Fault[] = ['type', 'contentType', 'message', 'timestamp', 'agent', 'step'].map(
	(field, index) => ({
		what: `a log entry without ${field}`,
		breaks: `cloud-tasks/log-entry-in-the-stream/${index + 1}`,
		tampering: inEvent(STREAM, 'log', `log.${field}`, missing),
	}),
);

const queries: readonly Fault[] = ['limit', 'offset', 'filter', 'status'].map((field, index) => ({
	what: `a list that is asked for without ${field}`,
	breaks: `cloud-tasks/get-cloud-url-api-tasks/${index + 1}`,
	tampering: inRequest(LIST, `query.${field}`, missing),
	...((field === 'limit' || field === 'offset') && { unseenBy: ['client: tells the limit and the offset'] }),
}));

const lookUpErrors: readonly Fault[] = (
	[
		[7, 401],
		[8, 404],
		[9, 502],
		[10, 500],
	] as const
).map(([position, status]) => ({
	what: `a look-up that answers 418 in place of ${status}`,
	breaks: `cloud-tasks/errors/${position}`,
	tampering: withStatus(LOOK_UP, status, 418),
}));

const listErrors: readonly Fault[] = (
	[
		[2, 401],
		[3, 403],
		[4, 500],
	] as const
).map(([position, status]) => ({
	what: `a list that answers 418 in place of ${status}`,
	breaks: `cloud-tasks/errors/${position}`,
	tampering: withStatus(LIST, status, 418),
}));

const withoutStates = withoutEvent(STREAM, 'status');
const anotherEnd = inEvent(STREAM, 'complete', 'status');

/** What cloud-tasks.md demands, falsified. */
export const taskFaults: readonly Fault[] = [
	...fieldsOfTasks,
	...entryFields,
	...queries,
	...lookUpErrors,
	...listErrors,
	{
		what: 'a repository with another clone_url',
		breaks: 'cloud-tasks/repository-branch-and-organisation-records/1',
		tampering: inReply(LOOK_UP, 'json.*.clone_url'),
	},
	{
		what: 'a branch that does not say whether it is protected',
		breaks: 'cloud-tasks/repository-branch-and-organisation-records/2',
		tampering: inReply(LOOK_UP, 'json.*.protected', missing),
	},
	{
		what: 'an organisation with another login',
		breaks: 'cloud-tasks/repository-branch-and-organisation-records/3',
		tampering: inReply(LOOK_UP, 'json.*.login'),
	},
	{
		what: 'a log without its greeting',
		breaks: 'cloud-tasks/events/1',
		tampering: withoutEvent(STREAM, 'connected'),
	},
	{
		what: 'a log with another index',
		breaks: 'cloud-tasks/events/2',
		tampering: inEvent(STREAM, 'log', 'index'),
		unseenBy: ['the local service: a task goes from processing'],
	},
	{
		what: 'a log without its states',
		breaks: 'cloud-tasks/events/3',
		tampering: withoutStates,
	},
	{
		what: 'a log that ends in another state',
		breaks: 'cloud-tasks/events/4',
		tampering: anotherEnd,
	},
	{
		what: 'a log of another length',
		breaks: 'cloud-tasks/events/4',
		tampering: inEvent(STREAM, 'complete', 'totalLogs'),
	},
	{
		what: 'a log that is not resumed',
		breaks: 'unspecified/cloud-tasks/12',
		tampering: inRequest(STREAM, 'query.fromIndex', () => '0'),
		unseenBy: ['client: tells which entries cannot be had'],
	},
	{
		what: 'a log that is not asked to leave its states out',
		breaks: 'cloud-tasks/events/3',
		tampering: inRequest(STREAM, 'query.includeStatus', () => 'true'),
	},
	{
		what: 'a log that nobody asked for as events',
		breaks: 'cloud-tasks/events/2',
		tampering: inRequest(STREAM, 'headers.accept', () => 'application/json'),
	},
	{
		what: 'a log without the time of sending',
		breaks: 'cloud-tasks/events/2',
		tampering: inEvent(STREAM, 'log', 'timestamp', missing),
		unseenBy: ['the local service: a task goes from processing'],
	},
	{
		what: 'a log without the error in its midst',
		breaks: 'cloud-tasks/events/5',
		tampering: inEvent(STREAM, 'error', 'error'),
	},
	{
		what: 'a log that never tells of saving',
		breaks: 'cloud-tasks/states-and-transitions/8',
		tampering: withoutStates,
	},
	{
		what: 'a log whose end tells another state',
		breaks: 'cloud-tasks/states-and-transitions/9',
		tampering: anotherEnd,
	},
	{
		what: 'a list that goes on where it ends',
		breaks: 'cloud-tasks/errors/1',
		tampering: inReply(LIST, 'json.hasMore'),
	},
	{
		what: 'a look-up of another owner',
		breaks: 'cloud-tasks/errors/5',
		tampering: inRequest(LOOK_UP, 'query.owner'),
	},
	{
		what: 'a look-up that says 418 where an owner is missing',
		breaks: 'cloud-tasks/errors/6',
		tampering: withStatus(LOOK_UP, 400, 418),
	},
	{
		what: 'a list of a team that nobody chose',
		breaks: 'unspecified/cloud-tasks/15',
		tampering: {
			request(request) {
				request.query['team'] = 'crew';
			},
		},
	},
	{
		what: 'a look-up on another segment',
		breaks: 'unspecified/cloud-tasks/16',
		tampering: inRequest(LOOK_UP, 'path'),
	},
	{
		what: 'a link that is not said to be missing',
		breaks: 'cloud-tasks/authentication/3',
		tampering: withStatus(LOOK_UP, 404, 500),
	},
	{
		what: 'a log that is read without the token',
		breaks: 'cloud-tasks/authentication/2',
		tampering: inRequest(STREAM, 'headers.authorization', missing),
	},
	{
		what: 'an agent API that gets another key',
		breaks: 'cloud-tasks/authentication/4',
		tampering: inRequest(/^GET \/api\/v1\/tasks$/, 'headers.authorization'),
	},
	{
		what: 'a deleted key that is not told',
		breaks: 'cloud-tasks/authentication/6',
		tampering: withStatus(/^GET \/api\/v1\/tasks$/, 401, 500),
	},
	{
		what: 'a key in the address',
		breaks: 'cloud-tasks/authentication/8',
		tampering: {
			request(request) {
				request.query['key'] = /Bearer (.*)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
			},
		},
	},
	{
		what: 'another task than the one that was asked for',
		breaks: 'unspecified/cloud-tasks/3',
		tampering: inReply(/^GET \/api\/tasks\/[^/]+$/, 'json.task.id'),
	},
	{
		what: 'a task request without its token',
		breaks: 'cloud-tasks/authentication/1',
		tampering: inRequest(ANY, 'headers.authorization', missing),
	},
	{
		what: 'a created task with another prompt',
		breaks: 'unspecified/cloud-tasks/1',
		tampering: inRequest(CREATE, 'json.prompt'),
		unseenBy: ['client: is refused for its reason'],
	},
	{
		what: 'a created task without one of its agents',
		breaks: 'unspecified/cloud-tasks/2',
		tampering: inRequest(CREATE, 'json.selectedAgents'),
	},
	{
		what: 'another action in place of stop',
		breaks: 'unspecified/cloud-tasks/4',
		tampering: inRequest(/^PATCH /, 'json.action'),
	},
	{
		what: 'another follow-up prompt',
		breaks: 'unspecified/cloud-tasks/5',
		tampering: inRequest(/\/continue$/, 'json.currentPrompt'),
	},
	{
		what: 'a list of the agent API with other ids',
		breaks: 'unspecified/cloud-tasks/9',
		tampering: {
			reply(reply, request) {
				for (const path of ['json.tasks.*.taskId', 'json.*.taskId']) {
					inReply(/^GET \/api\/v1\/tasks$/, path).reply?.(reply, request);
				}
			},
		},
	},
	{
		what: 'an agent API without the sentence on the plan',
		breaks: 'cloud-tasks/authentication/5',
		tampering: withStatus(/^GET \/api\/v1\/tasks$/, 403, 418),
	},
];
