import { deploymentSettings } from '../../support/contractServer/taskFixtures.ts';
import {
	all,
	type Fault,
	inEvent,
	inEvents,
	inReply,
	inRequest,
	missing,
	nameOf,
	withoutEvent,
	withStatus,
} from './fault.ts';

const LIST = /^GET \/api\/tasks$/;
const TASK = /^GET \/api\/tasks(\/[^/]+)?$/;
const CREATE = /^POST \/api\/tasks$/;
const STREAM = /\/stream$/;
const LOOK_UP = /^GET \/api\/[^/]+\/(orgs|repos|branches)$/;
const AGENT_LIST = /^GET \/api\/v1\/tasks$/;
const LIST_PROSE = 'get-cloud-url-api-tasks/prose';
const STREAM_PROSE = 'get-cloud-url-api-tasks-taskid-stream/prose';

const fault = (breaks: string, what: string, tampering: Fault['tampering'], unseenBy?: readonly string[]): Fault => ({
	what,
	breaks: `cloud-tasks/${breaks}`,
	tampering,
	...(unseenBy && { unseenBy }),
});

/** Changes a field of a task, in the list and in the reply that holds it alone. */
const inTask = (field: string, change?: Parameters<typeof inReply>[2]) =>
	all(...['json.tasks.*', 'json.task', 'json'].map(path => inReply(TASK, `${path}.${field}`, change)));

/** Another state, which is final: a proof that waits for the end need not wait in vain. */
const otherState = (status: unknown) => (status === 'completed' ? 'stopped' : 'completed');

const anotherState = inTask('status', otherState);
const anotherLimit = inReply(LIST, 'json.limit');
const goesOn = inReply(LIST, 'json.hasMore');
const fromBegin = inRequest(STREAM, 'query.fromIndex', () => '0');
const anotherEnd = inEvent(STREAM, 'complete', 'status');
const withoutWords = inReply(STREAM, 'json.error', missing);
const notAllowed = withStatus(STREAM, 200, 403);
const tellsOfUser = inEvent(STREAM, 'log', 'log.message', () => '"userId": of-somebody');

const keyInAddress: Fault['tampering'] = {
	request(request) {
		request.query['key'] = /Bearer (.*)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
	},
};

const lookUps: readonly Fault[] = (
	[
		['orgs', /\/orgs$/, 'query', { team: 'x' }],
		['repos', /\/repos$/, 'query.owner', 'somebody'],
		['branches', /\/branches$/, 'query.repo', 'something'],
	] as const
).flatMap(([name, where, path, value]) => [
	fault(
		`get-cloud-url-api-scm-${name}/prose/1`,
		`${name} with another query`,
		inRequest(where, path, () => value),
	),
	fault(
		`get-cloud-url-api-scm-${name}/prose/2`,
		`${name} that are no list`,
		inReply(where, 'json', () => ({})),
	),
]);

const required: readonly Fault[] = ['repos', 'branches'].map(name =>
	fault(
		`get-cloud-url-api-scm-${name}/prose/1`,
		`${name} that are found without an owner`,
		withStatus(LOOK_UP, 400, 200),
	),
);

const states: readonly Fault[] = [1, 2, 3, 4, 5, 6, 7].map(position =>
	fault(`states-and-transitions/${position}`, 'another state', anotherState),
);

/** What cloud-tasks.md and its part of unspecified.md demand beyond single fields, falsified. */
export const taskRuleFaults: readonly Fault[] = [
	...states,
	...lookUps,
	...required,
	fault('task/20', 'other deployment settings', inTask(deploymentSettings)),
	fault(
		'states-and-transitions/prose/1',
		'a list that leaves out an active task',
		inReply(LIST, 'json.tasks', value => (value as unknown[]).slice(1)),
	),
	fault(`${LIST_PROSE}/1`, 'a list with another limit', anotherLimit),
	fault(`${LIST_PROSE}/2`, 'a list with another offset', inReply(LIST, 'json.offset')),
	fault(`${LIST_PROSE}/3`, 'a list that goes on where it ends', goesOn),
	fault(`${LIST_PROSE}/4`, 'an empty list that goes on', goesOn),
	fault(
		`${STREAM_PROSE}/1`,
		'the log of another task',
		inRequest(STREAM, 'path', () => '/api/tasks/other/stream'),
	),
	fault(`${STREAM_PROSE}/1`, 'a greeting for another task', inEvent(STREAM, 'connected', 'taskId'), [
		'client: is asked for by the id',
	]),
	fault(`${STREAM_PROSE}/1`, 'a log of no task', withStatus(STREAM, 404, 200)),
	fault(`${STREAM_PROSE}/2`, 'a log from its begin', fromBegin),
	fault(`${STREAM_PROSE}/2`, 'a greeting with another index', inEvent(STREAM, 'connected', 'fromIndex'), [
		'client: begins at 0',
	]),
	fault(
		`${STREAM_PROSE}/3`,
		'states that nobody wants',
		inRequest(STREAM, 'query.includeStatus', () => 'true'),
	),
	fault(
		`${STREAM_PROSE}/4`,
		'a log that is asked for as JSON',
		inRequest(STREAM, 'headers.accept', () => 'application/json'),
	),
	fault(`${STREAM_PROSE}/4`, 'a log that ends in another state', anotherEnd, ['client: is asked for by the id']),
	fault(
		`${STREAM_PROSE}/5`,
		'a log that is a page',
		inReply(STREAM, 'headers.content-type', () => 'text/html'),
	),
	fault(
		`${STREAM_PROSE}/6`,
		'events of another name',
		inEvents(STREAM, events => events.map(event => ({ ...event, event: 'noise' }))),
	),
	fault(`${STREAM_PROSE}/7`, 'a log that is not allowed', notAllowed),
	fault(`${STREAM_PROSE}/8`, 'a log that tells of a user', tellsOfUser),
	fault(`${STREAM_PROSE}/9`, 'a log without its end', withoutEvent(STREAM, 'complete')),
	fault(`${STREAM_PROSE}/10`, 'a log that ends in another state', anotherEnd),
	fault(
		'events/prose/1',
		'data that is a list',
		inEvents(STREAM, events =>
			events.map(event => (nameOf(event) === 'log' ? { ...event, data: [event.data] } : event)),
		),
	),
	fault('errors/prose/1', 'a refusal without words', withoutWords),
	fault(
		'errors/prose/1',
		'a refusal in other words',
		inReply(/^GET \/api\/tasks/, 'json.error', () => 'No.'),
	),
	fault('errors/prose/2', 'a log that is missing without words', withoutWords),
	fault('errors/prose/3', 'a failed look-up without words', inReply(LOOK_UP, 'json.message', missing)),
	fault(
		'versioning/prose/1',
		'an agent API without a version',
		inRequest(AGENT_LIST, 'path', () => '/api/tasks'),
	),
	fault('versioning/prose/1', 'further paths', withStatus(/./, 404, 200)),
	fault('authentication/7', 'a key in the address', keyInAddress),
	fault('authentication/7', 'a deleted key that still works', withStatus(/./, 401, 403), [
		'client: stands in no address',
		'client: lets a key stand',
	]),
	fault('authentication/7', 'a log that tells of a user', tellsOfUser, [
		'client: lets a key stand',
		'client: stands in no address',
	]),
	fault('limits/1', 'a list that is asked for without a limit', inRequest(LIST, 'query.limit', missing)),
	fault('limits/1', 'a list with another limit', anotherLimit),
	fault('limits/2', 'another longest duration', inRequest(CREATE, 'json.maxDuration')),
	fault('limits/2', 'a task that never is too long', anotherState),
	fault('limits/3', 'a log without its states', withoutEvent(STREAM, 'status')),
	fault('limits/4', 'a log that is not resumed', fromBegin),
	...(
		[
			[6, 'a task that is deleted', inRequest(/^PATCH /, 'method', () => 'DELETE')],
			[7, 'another refusal', all(withStatus(/^POST /, 429, 500), withStatus(/^POST /, 503, 500))],
			[8, 'another state', inReply(LIST, 'json.tasks.*.status')],
			[10, 'a log that ends without words on what failed', inEvent(STREAM, 'error', 'error')],
			[10, 'a task of another state', inTask('status')],
			[11, 'a field that nobody uses, changed', inReply(TASK, 'json.task.berth')],
			[11, 'a log that is not allowed', notAllowed],
			[13, 'a key in the address', keyInAddress],
			[14, 'another agent', inRequest(CREATE, 'json.selectedAgent')],
		] satisfies [number, string, Fault['tampering']][]
	).map(([position, what, tampering]): Fault => ({ what, breaks: `unspecified/cloud-tasks/${position}`, tampering })),
];
