import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { RequestRefused } from '../../../../../src/service/replies.ts';
import { ReasoningSeal } from '../../../../../src/service/responses/reasoningSeal.ts';
import { ResponseEvents } from '../../../../../src/service/responses/responseEvents.ts';
import { agentResponses } from '../../../../../src/service/tasks/relay/modelListener.ts';

const parameters = { type: 'object', properties: { cmd: { type: 'string' } } };
const text = (value: string) => [{ type: 'input_text', text: value }];
const message = (role: string, value: string) => ({ type: 'message', id: 'msg_1', role, content: text(value) });
const applyPatch = {
	type: 'custom',
	name: 'apply_patch',
	description: 'Edits files',
	format: { type: 'grammar', syntax: 'lark', definition: 'start: patch' },
};
const PATCH = '*** Begin Patch\n*** Add File: a.js\n+1\n*** End Patch\n';

const fieldsOf = (value: unknown) => Object(value) as Record<string, unknown>;

describe('the responses request of an agent', () => {
	const seal = new ReasoningSeal(randomBytes(32));
	const form = agentResponses('small', seal);
	const read = (fields: object) => form.read({ model: 'm', input: [message('user', 'Add mul')], ...fields });

	it('is read as codex sends it', () => {
		const { request } = read({
			stream: true,
			input: [
				message('developer', 'You are a coding agent'),
				{ ...message('developer', ''), content: [...text('<skills>'), ...text('<permissions>')] },
				message('user', '<environment_context>'),
				message('user', 'Add mul'),
				{
					type: 'function_call',
					status: 'completed',
					id: 'fc_1',
					name: 'exec_command',
					namespace: null,
					arguments: '{"cmd":"ls"}',
					call_id: 'call_1',
				},
				{ type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'a.js' },
			],
			tool_choice: 'auto',
			parallel_tool_calls: true,
			reasoning: { effort: 'medium', summary: 'auto' },
			text: { verbosity: 'low' },
			store: false,
			include: ['reasoning.encrypted_content'],
			prompt_cache_key: '01a2',
			client_metadata: { session_id: '01a2' },
			tools: [
				{ type: 'function', name: 'exec_command', description: 'Runs', strict: false, parameters },
				{ type: 'namespace', name: 'multi_agent_v1', tools: [{ type: 'function', name: 'spawn_agent' }] },
				{ type: 'web_search', external_web_access: true },
			],
		});
		assert.deepEqual(request, {
			model: 'm',
			instructions: 'You are a coding agent\n\n<skills>\n<permissions>',
			input: [
				{ type: 'message', role: 'user', content: text('<environment_context>') },
				{ type: 'message', role: 'user', content: text('Add mul') },
				{ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'call_1' },
				{ type: 'function_call_output', call_id: 'call_1', output: 'a.js' },
			],
			parallel_tool_calls: true,
			store: false,
			stream: true,
			tools: [
				{ type: 'function', name: 'exec_command', description: 'Runs', parameters },
				{ type: 'function', name: 'multi_agent_v1__spawn_agent' },
			],
		});
	});

	it('turns free-form tools, their calls and their results into those of functions', () => {
		const { request } = read({
			tools: [applyPatch],
			tool_choice: { type: 'custom', name: 'apply_patch' },
			input: [
				message('user', 'Add it'),
				{
					type: 'custom_tool_call',
					id: 'ctc_1',
					status: 'completed',
					call_id: 'c1',
					name: 'apply_patch',
					input: PATCH,
				},
				{ type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'Done' }] },
			],
		});
		assert.deepEqual(request.tool_choice, { type: 'function', name: 'apply_patch' });
		assert.deepEqual(request.tools, [
			{
				type: 'function',
				name: 'apply_patch',
				description: 'Edits files\n\nThe input follows this grammar (lark):\nstart: patch',
				parameters: {
					type: 'object',
					properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text' } },
					required: ['input'],
					additionalProperties: false,
				},
			},
		]);
		assert.deepEqual(request.input.slice(1), [
			{ type: 'function_call', call_id: 'c1', name: 'apply_patch', arguments: JSON.stringify({ input: PATCH }) },
			{ type: 'function_call_output', call_id: 'c1', output: 'Done' },
		]);
	});

	it('keeps reasoning that this service has sealed, and no other', () => {
		const sealed = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: seal.seal('hm') };
		const { request } = read({
			input: [
				message('user', 'x'),
				sealed,
				{ type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
				{ type: 'reasoning', summary: [] },
				message('user', 'y'),
			],
		});
		assert.deepEqual(
			request.input.map(({ type }) => type),
			['message', 'reasoning', 'message'],
		);
		assert.deepEqual(request.input[1], sealed);
	});

	it('loses items that have no meaning here, and results without their call', () => {
		const { request } = read({
			input: [
				{ role: 'user', content: 'x' },
				{ type: 'web_search_call', id: 'ws_1' },
				{ type: 'local_shell_call', call_id: 'l1' },
				{ type: 'function_call_output', call_id: 'l1', output: 'y' },
				{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'data:,' }] },
			],
		});
		assert.deepEqual(request.input, [
			{ type: 'message', role: 'user', content: text('x') },
			{ type: 'message', role: 'user', content: text('(a part that cannot be passed on)') },
		]);
	});

	it('is for the task’s model if it names none, and may be a single text', () => {
		const { request } = form.read({ input: 'Hello' });
		assert.equal(request.model, 'small');
		assert.deepEqual(request.input, [{ role: 'user', content: 'Hello' }]);
	});

	it('is refused if it relies on what is not kept, or means nothing', () => {
		for (const [fields, named] of [
			[{ previous_response_id: 'resp_1' }, /previous_response_id/],
			[{ input: 3 }, /Input must be a list/],
			[{ input: [] }, /^input/],
			[{ tools: [{ type: 'function', name: '' }] }, /^tools/],
			[{ input: [{ type: 'function_call', name: 'x' }] }, /call_id/],
			[{ input: [{ role: 'captain', content: 'x' }] }, /role/],
		] as const) {
			assert.throws(
				() => read(fields),
				(error: unknown) => error instanceof RequestRefused && error.status === 400 && named.test(error.message),
				JSON.stringify(fields),
			);
		}
	});
});

describe('the calls of free-form tools in a response', () => {
	const seal = new ReasoningSeal(randomBytes(32));

	/** The events of a response whose model calls a tool with these fragments of arguments. */
	function events(name: string, fragments: readonly string[]) {
		const { present } = agentResponses('small', seal).read({ input: 'x', tools: [applyPatch] });
		const response = new ResponseEvents({ model: 'm', seal });
		const chunk = (text: string, index: number) => ({
			choices: [
				{
					index: 0,
					delta: {
						tool_calls: [{ index: 0, id: 'call_1', function: { ...(index === 0 ? { name } : {}), arguments: text } }],
					},
					finish_reason: null,
				},
			],
		});
		return [
			...present(response.start()),
			...fragments.flatMap((text, index) => present(response.add(chunk(text, index) as never))),
			...present(response.end()),
		];
	}

	it('are free-form, in every event, numbered without gaps', () => {
		const text = JSON.stringify({ input: PATCH });
		const sent = events('apply_patch', [text.slice(0, 9), text.slice(9)]);
		assert.deepEqual(
			sent.map(({ type }) => type),
			[
				'response.created',
				'response.in_progress',
				'response.output_item.added',
				'response.custom_tool_call_input.done',
				'response.output_item.done',
				'response.completed',
			],
		);
		assert.deepEqual(
			sent.map(({ sequence_number }) => sequence_number),
			[0, 1, 2, 3, 4, 5],
		);
		assert.equal(fieldsOf(sent[2]?.['item'])['input'], '');
		const { id, ...item } = fieldsOf(sent[4]?.['item']);
		assert.deepEqual(item, {
			type: 'custom_tool_call',
			status: 'completed',
			name: 'apply_patch',
			call_id: 'call_1',
			input: PATCH,
		});
		assert.equal(sent[3]?.['item_id'], id);
		assert.equal(sent[3]?.['input'], PATCH);
		assert.deepEqual(fieldsOf(sent[5]?.['response'])['output'], [{ id, ...item }]);
	});

	it('take what a model wrote instead of the one argument', () => {
		for (const [written, expected] of [
			[JSON.stringify({ patch: PATCH }), PATCH],
			[PATCH, PATCH],
			['{"a":1}', '{"a":1}'],
		] as const) {
			assert.equal(fieldsOf(events('apply_patch', [written]).at(-2)?.['item'])['input'], expected);
		}
	});

	it('leave those of functions as they are', () => {
		const sent = events('exec_command', ['{"cmd":"ls"}']);
		assert.ok(sent.some(({ type }) => type === 'response.function_call_arguments.delta'));
		assert.equal(fieldsOf(sent.at(-2)?.['item'])['arguments'], '{"cmd":"ls"}');
	});
});
