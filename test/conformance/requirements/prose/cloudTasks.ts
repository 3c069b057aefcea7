import { INTRODUCTION, NOT_SHOWN, OVERVIEW, type ProseSection, type Sentence } from './sentence.ts';

const section = (heading: string, sentences: readonly Sentence[]): ProseSection => ({
	document: 'cloud-tasks',
	heading,
	sentences,
});

/** The prose of cloud-tasks.md. */
export const cloudTasksProse: readonly ProseSection[] = [
	section('Cloud Task Service and Source-Hosting Lookups', [
		{
			text: 'This document covers the cloud task service: listing tasks, streaming task logs, source-hosting lookup endpoints (organisations, repositories, branches), and the rules of the agent task API key.',
			obligesNobody: OVERVIEW,
		},
		{ text: 'Document 1 covers the inference APIs.', obligesNobody: OVERVIEW },
		{ text: 'Document 2 covers the encrypted message channel.', obligesNobody: OVERVIEW },
		{ text: 'Placeholders: `{cloud_url}` is the cloud task service host.', repeats: ['cloud-tasks/authentication/1'] },
		{ text: '`{agent_url}` is the agent task API host.', repeats: ['cloud-tasks/authentication/4'] },
		{
			text: '`<scm>` is a fixed literal path segment naming the source-hosting provider.',
			repeats: ['unspecified/cloud-tasks/16'],
		},
		{
			text: '`<deploy_host>` stands for the name of a deployment-hosting provider inside a field name.',
			repeats: ['cloud-tasks/task/20'],
		},
	]),
	section('What the service does', [
		{
			text: 'Runs AI coding agents as tasks against a source repository in a sandbox; a task has a prompt, a repository, a chosen agent and model, and produces log entries, a branch, diff statistics and optionally a pull request.',
			repeats: [4, 5, 6, 7, 14, 18, 29, 30].map(position => `cloud-tasks/task/${position}`),
		},
		{
			text: "Lists a caller's tasks with paging and filters.",
			repeats: [1, 2, 3, 4].map(position => `cloud-tasks/get-cloud-url-api-tasks/${position}`),
		},
		{
			text: "Streams a task's logs live over Server-Sent Events, resumable by log index.",
			repeats: ['cloud-tasks/events/2', 'cloud-tasks/get-cloud-url-api-tasks-taskid-stream/prose/2'],
		},
		{
			text: "Looks up organisations, repositories and branches of the caller's linked source-hosting account.",
			repeats: [1, 2, 3].map(position => `cloud-tasks/repository-branch-and-organisation-records/${position}`),
		},
		{
			text: 'The agent task API (on `{agent_url}`) is a Pro-plan feature authenticated with an API key.',
			repeats: ['cloud-tasks/authentication/4', 'cloud-tasks/authentication/5'],
		},
	]),
	section('Task', [
		{
			text: 'Inner structure of `<deploy_host>DeploymentSettings`, of `deployments` entries and of `badge`: not shown.',
			obligesNobody: NOT_SHOWN,
		},
	]),
	section('States and transitions', [
		{ text: 'Task `status` values:', obligesNobody: INTRODUCTION },
		{
			text: 'The list filter `status=active` covers `pending`, `processing` and `saving`.',
			demands: ['active means pending, processing and saving, and no other state'],
		},
		{
			text: 'Transitions other than these two, including how `pending`, `stopped`, `error` and `timeout` are entered and left: not shown.',
			obligesNobody: NOT_SHOWN,
		},
	]),
	section('GET `{cloud_url}/api/tasks`', [
		{ text: 'Query parameters:', obligesNobody: INTRODUCTION },
		{
			text: 'Response: `{tasks: [Task], hasMore: boolean, offset: number, limit: number}`; `offset` and `limit` echo the values used; `hasMore` is true when more tasks exist beyond the page.',
			demands: [
				'the list is tasks, hasMore, offset and limit',
				'offset and limit are told as they were used',
				'hasMore tells whether there are tasks beyond the page',
			],
		},
		{
			text: 'An empty result is `tasks: []` with `hasMore` false.',
			demands: ['without a task the list is empty, and there is no more'],
		},
	]),
	section('GET `{cloud_url}/api/tasks/{taskId}/stream`', [
		{ text: 'Path: `taskId` string (required).', demands: ['a log is asked for by the id of its task'] },
		{
			text: 'Query: `fromIndex` integer default 0 (log index to start from, for resuming); `includeStatus` boolean default true (include periodic status events).',
			demands: [
				'fromIndex is 0 unless it is said otherwise, and resumes the log',
				'includeStatus is true unless it is said otherwise',
			],
		},
		{
			text: 'Request header `Accept: text/event-stream` is sent.',
			demands: ['the log is asked for as an event stream'],
		},
		{
			text: 'Response `Content-Type: text/event-stream`; each event is `event: <type>` then `data: <json>` then a blank line.',
			demands: ['the log comes as an event stream', 'an event is its name, its data as JSON, and a blank line'],
		},
		{
			text: "Access is allowed for the caller's own tasks, tasks of teams the caller belongs to, and public tasks.",
			demands: ['own tasks, those of a team and public ones can be followed'],
		},
		{
			text: 'Only logs and status are streamed (no keys, tokens, user IDs or credentials).',
			demands: ['nothing but logs and states is streamed: no key, token, user or credential'],
		},
		{
			text: 'The stream closes when the task finishes or the client disconnects.',
			demands: ['the stream closes when the task has ended', 'the stream closes when the client leaves'],
		},
	]),
	section('GET `{cloud_url}/api/<scm>/orgs`', [
		{ text: 'No parameters.', demands: ['organisations are looked up without a parameter'] },
		{ text: 'Returns an array of organisation records.', demands: ['organisations come as a list'] },
	]),
	section('GET `{cloud_url}/api/<scm>/repos`', [
		{
			text: 'Query: `owner` string (required; user or organisation name).',
			demands: ['repositories are looked up by their owner, a user or an organisation'],
		},
		{ text: 'Returns an array of repository records.', demands: ['repositories come as a list'] },
	]),
	section('GET `{cloud_url}/api/<scm>/branches`', [
		{
			text: 'Query: `owner` string (required), `repo` string (required).',
			demands: ['branches are looked up by owner and repository'],
		},
		{ text: 'Returns an array of branch records.', demands: ['branches come as a list'] },
	]),
	section('GET `{agent_url}/api/v1/tasks`', [
		{
			text: 'Authenticated with an agent API key (see Authentication).',
			repeats: ['cloud-tasks/authentication/4'],
		},
		{ text: 'Task creation, stop, deletion and batch endpoints: not shown.', obligesNobody: NOT_SHOWN },
		{
			text: 'Request and response body of `GET {agent_url}/api/v1/tasks`: not shown.',
			obligesNobody: NOT_SHOWN,
		},
	]),
	section('Authentication', [
		{ text: 'Cloud task service and lookups:', obligesNobody: INTRODUCTION },
		{ text: 'Agent task API:', obligesNobody: INTRODUCTION },
	]),
	section('Events', [
		{
			text: 'The log stream sends these SSE event types; every `data` value is a JSON object.',
			demands: ['the data of every event of a log is a JSON object'],
		},
		{ text: 'Webhook or push notifications other than the log stream: not shown.', obligesNobody: NOT_SHOWN },
	]),
	section('Errors', [
		{ text: 'Task list:', obligesNobody: INTRODUCTION },
		{
			text: 'Log stream: 401 with `{error: <text asking for valid credentials>}`; 404 with `{error: Task not found}`.',
			demands: ['a log without a valid key is 401, and asks for credentials', 'a log of no task is 404'],
		},
		{
			text: 'Source-hosting lookups: error body `{error, message, status}` where `status` repeats the HTTP code.',
			demands: ['an error of a look-up has error, message and status, which repeats the code'],
		},
		{
			text: 'Agent API 401 and 403 are described under Authentication.',
			repeats: ['cloud-tasks/authentication/5'],
		},
		{ text: 'Bodies for 403 and 500 on the task list: not shown.', obligesNobody: NOT_SHOWN },
	]),
	section('Versioning', [
		{
			text: 'The agent task API path carries `/v1`; cloud task and lookup paths carry no version segment.',
			demands: ['the path of the agent API carries /v1, those of tasks and look-ups no version'],
		},
		{ text: 'Versioning policy for the cloud paths: not shown.', obligesNobody: NOT_SHOWN },
	]),
];
