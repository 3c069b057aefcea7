// The fields that the contract documents, each with a value that can be recognised where it is shown.

/** Each field of a task that the contract names, with a recognisable value. */
export const DOCUMENTED_TASK = {
	id: 't-815',
	userId: 'user-7',
	teamId: 'team-3',
	prompt: 'Add prices\nand taxes',
	repoUrl: 'https://host.example/acme/widgets',
	selectedAgent: 'quill',
	selectedModel: 'small',
	installDependencies: true,
	maxDuration: 600,
	status: 'completed',
	progress: 100,
	error: 'none of it',
	selectedBranch: 'main',
	branchName: 'quill/prices',
	sandboxUrl: 'https://sandbox.example/1',
	sandboxId: 'box-1',
	merged: false,
	diffStats: { totalLinesAdded: 3, totalLinesRemoved: 1, totalFilesChanged: 2 },
	autoDeployEnabled: true,
	hostDeploymentSettings: { region: 'north' },
	mood: { good: true },
	deployments: [{ url: 'https://preview.example' }],
	badge: 'beta',
	batchId: 'batch-9',
	createdAt: '2026-01-01T10:00:00Z',
	updatedAt: '2026-01-01T10:05:00Z',
	completedAt: '2026-01-01T10:10:00Z',
	creatorName: 'Ada',
	creatorImage: 'https://people.example/ada.png',
	prNumber: 12,
	prUrl: 'https://host.example/acme/widgets/pull/12',
	isEmptyGitUser: false,
};

/**
 * The fields of a chat reply (inference.md, Chat completion response and Web search annotation): the place in the
 * reply, the value, and the words that a person sees.
 */
export const DOCUMENTED_REPLY: readonly { field: string; value: unknown; seen: RegExp }[] = [
	{ field: 'id', value: 'completion-815', seen: /Reply ID\s+completion-815/ },
	{ field: 'created', value: 1_767_261_600, seen: /Created\s+.*2026/ },
	{ field: 'model', value: 'quill-large-2', seen: /Model\s+quill-large-2/ },
	{ field: 'system_fingerprint', value: 'fp_4711', seen: /System fingerprint\s+fp_4711/ },
	{ field: 'provider', value: 'hoster-nine', seen: /Provider\s+hoster-nine/ },
	{ field: 'message.content', value: 'It is so.', seen: /It is so\d?\./ },
	{ field: 'finish_reason', value: 'length', seen: /length|cut off/i },
	{
		field: 'provider_specific_fields.native_finish_reason',
		value: 'max_tokens_reached',
		seen: /Finish reason\s+max_tokens_reached/,
	},
	{ field: 'usage.prompt_tokens', value: 1_301, seen: /1,301 in/ },
	{ field: 'usage.prompt_tokens_details.cached_tokens', value: 77, seen: /77 cached/ },
	{ field: 'usage.completion_tokens', value: 402, seen: /402 out/ },
	{ field: 'usage.completion_tokens_details.reasoning_tokens', value: 65, seen: /65 reasoning/ },
	{ field: 'logprobs', value: -0.5, seen: /"so" 60\.7%/ },
	{ field: 'annotations.url', value: 'https://source.example/a', seen: /source\.example/ },
	{ field: 'annotations.title', value: 'A source of it', seen: /A source of it/ },
	{ field: 'annotations.content', value: 'So it was said.', seen: /So it was said\./ },
];

/** Returns the reply that has all of these fields, as one whole body. */
export function documentedReply(): object {
	const value = (field: string) => DOCUMENTED_REPLY.find(row => row.field === field)?.value;
	const citation = {
		url: value('annotations.url'),
		title: value('annotations.title'),
		content: value('annotations.content'),
		start_index: 3,
		end_index: 8,
	};
	const logprobs = { content: [{ token: 'so', logprob: value('logprobs'), top_logprobs: [] }] };
	const message = {
		role: 'assistant',
		content: value('message.content'),
		annotations: [{ type: 'url_citation', url_citation: citation }],
	};
	const choice = {
		index: 0,
		message,
		logprobs,
		finish_reason: value('finish_reason'),
		provider_specific_fields: { native_finish_reason: value('provider_specific_fields.native_finish_reason') },
	};
	return {
		id: value('id'),
		object: 'chat.completion',
		created: value('created'),
		model: value('model'),
		system_fingerprint: value('system_fingerprint'),
		provider: value('provider'),
		choices: [choice],
		usage: {
			prompt_tokens: value('usage.prompt_tokens'),
			completion_tokens: value('usage.completion_tokens'),
			prompt_tokens_details: { cached_tokens: value('usage.prompt_tokens_details.cached_tokens') },
			completion_tokens_details: { reasoning_tokens: value('usage.completion_tokens_details.reasoning_tokens') },
		},
	};
}
