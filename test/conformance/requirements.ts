// What the contract demands of a service, one behaviour each. `source` names the document and its section.

export interface Requirement {
	source: string;
	behaviour: string;
}

export const requirements = {
	'chat.paths': { source: 'inference.md, Endpoints', behaviour: 'both paths of the chat endpoint answer alike' },
	'chat.key': { source: 'inference.md, Authentication 1', behaviour: 'a request without a valid key is refused' },
	'chat.reply': {
		source: 'inference.md, Chat completion response',
		behaviour: 'a reply has id, created, model, object, choices, usage and provider',
	},
	'chat.choice': {
		source: 'inference.md, Chat completion response',
		behaviour: 'a choice has an index, a finish_reason, a message with role and content, and the native reason',
	},
	'chat.usage': { source: 'inference.md, Usage', behaviour: 'usage counts tokens as integers, with both details' },
	'chat.roles': {
		source: 'inference.md, Message',
		behaviour: 'system, user, assistant and tool messages are accepted',
	},
	'chat.ranges': {
		source: 'inference.md, Chat completion request',
		behaviour: 'a parameter outside its range is refused and named; its bounds are accepted',
	},
	'chat.documented': {
		source: 'inference.md, Chat completion request',
		behaviour: 'every documented field is accepted; one that is not documented is refused and named',
	},
	'chat.seed': { source: 'inference.md, Chat completion request', behaviour: 'a seed makes the output deterministic' },
	'chat.max_tokens': { source: 'inference.md, Chat completion request', behaviour: 'max_tokens ends the output' },
	'chat.stop': { source: 'inference.md, Chat completion request', behaviour: 'generation stops at any stop text' },
	'chat.tool_choice.none': { source: 'inference.md, Chat completion request', behaviour: '`none`: no tool is called' },
	'chat.stream.chunks': {
		source: 'inference.md, Streaming',
		behaviour: 'a stream is server-sent events of chat.completion.chunk objects with choices[].delta.content',
	},
	'chat.stream.same': { source: 'inference.md, Events', behaviour: 'the pieces of a stream are the text of the reply' },
	'chat.stream.served': { source: 'inference.md, What the service does', behaviour: 'a stream names who served it' },
	'chat.stream.end': {
		source: 'unspecified.md, chunk objects',
		behaviour: 'a stream gives its finish_reason, then usage with empty choices, then [DONE]',
	},
	'chat.stream.error': {
		source: 'unspecified.md, mid-stream errors',
		behaviour: 'an error in the middle ends the stream; the text so far has come',
	},
	'chat.stream.cut': {
		source: 'unspecified.md, chunk objects',
		behaviour: 'a stream that ends without its mark is an interrupted reply; the text so far has come',
	},
	'chat.routing.only': { source: 'inference.md, Provider object 4', behaviour: 'only: no other provider serves' },
	'chat.routing.ignore': { source: 'inference.md, Provider object', behaviour: 'ignore: a listed provider is skipped' },
	'chat.routing.order': {
		source: 'inference.md, Provider object 3 and 5',
		behaviour: 'order: one that does not host the model is skipped, unless fallbacks are disabled',
	},
	'chat.model': { source: 'inference.md, Model identifiers', behaviour: 'a model that is not there is an error' },
	'chat.errors': { source: 'unspecified.md, error bodies', behaviour: 'an error has a message that a client can show' },

	'tasks.key': { source: 'cloud-tasks.md, Errors', behaviour: 'a request without a valid key gets 401 and an error' },
	'tasks.create': { source: 'unspecified.md, create a task', behaviour: 'a created task is answered with its fields' },
	'tasks.create.invalid': {
		source: 'unspecified.md, create a task',
		behaviour: 'an invalid prompt, agent, model or repository gets 400 and a reason',
	},
	'tasks.fields': { source: 'cloud-tasks.md, Task', behaviour: 'a task has every documented field, of its kind' },
	'tasks.get': { source: 'unspecified.md, read one task', behaviour: 'one task can be read; an unknown id gets 404' },
	'tasks.list.empty': { source: 'cloud-tasks.md, GET /api/tasks', behaviour: 'no tasks: an empty page without more' },
	'tasks.list.defaults': { source: 'cloud-tasks.md, GET /api/tasks', behaviour: 'limit 50, offset 0, both echoed' },
	'tasks.list.paging': {
		source: 'cloud-tasks.md, GET /api/tasks',
		behaviour: 'limit and offset page through all tasks once; hasMore says whether there are more',
	},
	'tasks.list.limits': { source: 'cloud-tasks.md, Limits', behaviour: 'limit is 1 to 100, offset at least 0' },
	'tasks.list.status': {
		source: 'cloud-tasks.md, States',
		behaviour: 'status filters by group; active is three states',
	},
	'tasks.list.filter': { source: 'cloud-tasks.md, GET /api/tasks', behaviour: 'filter: all, tasks or batch' },
	'tasks.states': {
		source: 'cloud-tasks.md, States and transitions',
		behaviour: 'a task goes from processing to saving to completed',
	},
	'tasks.result': { source: 'cloud-tasks.md, Task', behaviour: 'a completed task has a new branch and diffStats' },
	'tasks.error': { source: 'cloud-tasks.md, Task', behaviour: 'a failed task says why in error' },
	'tasks.timeout': { source: 'cloud-tasks.md, Limits', behaviour: 'a task over maxDuration ends as timeout' },
	'tasks.stop': { source: 'unspecified.md, stop', behaviour: 'stop ends a task as stopped; {message, task}' },
	'tasks.stream.head': {
		source: 'cloud-tasks.md, GET /api/tasks/{taskId}/stream',
		behaviour: 'the stream is text/event-stream; each event has a type and JSON data',
	},
	'tasks.stream.connected': { source: 'cloud-tasks.md, Events', behaviour: 'connected comes first, with its fields' },
	'tasks.stream.log': {
		source: 'cloud-tasks.md, Log entry and Events',
		behaviour: 'each log entry has index, time and documented fields and values; indexes have no gap',
	},
	'tasks.stream.steps': { source: 'cloud-tasks.md, Log entry', behaviour: 'the observed steps come in order' },
	'tasks.stream.live': { source: 'cloud-tasks.md, What the service does', behaviour: 'entries come while it runs' },
	'tasks.stream.resume': { source: 'cloud-tasks.md, stream', behaviour: 'fromIndex resumes at that entry' },
	'tasks.stream.status': {
		source: 'cloud-tasks.md, Events',
		behaviour: 'status comes about every 2 s, and not at all with includeStatus=false',
	},
	'tasks.stream.complete': {
		source: 'cloud-tasks.md, Events',
		behaviour: 'complete has the final status and totalLogs, and the stream closes',
	},
	'tasks.stream.unknown': { source: 'cloud-tasks.md, Errors', behaviour: 'an unknown task: 404, Task not found' },
	'tasks.stream.private': {
		source: 'cloud-tasks.md, stream',
		behaviour: 'only logs and status are streamed: no keys, tokens or user ids',
	},
} as const satisfies Record<string, Requirement>;

export type RequirementId = keyof typeof requirements;
