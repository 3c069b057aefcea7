import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readUpdate } from '../../../../src/agents/session/readUpdate.ts';
import { ToolCalls } from '../../../../src/agents/session/toolCalls.ts';
import { useAgent } from './useAgent.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const SCHEMA = 'node_modules/@agentclientprotocol/sdk/schema/v1/schema.json';

type Definition = Record<string, unknown> & {
	'x-method'?: string;
	'x-side'?: 'agent' | 'client' | 'protocol';
	properties?: Record<string, { const?: string }>;
	oneOf?: Definition[];
};

const text = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const definitions = (JSON.parse(text(SCHEMA)) as { $defs: Record<string, Definition> }).$defs;

/** The rows of a table in the document: the states by the names. */
function table(heading: string): Map<string, string> {
	const [part = ''] = (text('docs/acp.md').split(`## ${heading}\n`)[1] ?? '').split('\n## ');
	const rows = [...part.matchAll(/^\| `([^`]+)` \| (\w+) \| .+ \|$/gm)];
	return new Map(rows.map(([, name = '', state = '']) => [name, state]));
}

const methodsOf = (...sides: unknown[]) =>
	new Set(Object.values(definitions).flatMap(one => (sides.includes(one['x-side']) ? (one['x-method'] ?? []) : [])));

const content = { type: 'text', text: 'Hello' };
const compaction = { compactionId: 'one', status: 'completed', content };

/** An update of each kind that is supported and not read by the session itself. */
const UPDATES: Record<string, Record<string, unknown>> = {
	agent_message_chunk: { content },
	agent_thought_chunk: { content },
	tool_call: { toolCallId: 'one', title: 'Look' },
	tool_call_update: { toolCallId: 'two', title: 'Look' },
	plan: { entries: [] },
	available_commands_update: { availableCommands: [] },
	session_info_update: { title: 'Work' },
	usage_update: { used: 1, size: 2 },
	notice: { severity: 'info', title: 'Note' },
	compaction_update: compaction,
	compaction_summary_chunk: compaction,
};

describe('the table of the protocol', () => {
	const agent = useAgent();
	const ofAgent = table('Requests and notifications of the agent');
	const updates = table('Updates');
	const opening = table('What a session is opened with');

	it('has every method and update of the schema, and no other', () => {
		const kinds = definitions['SessionUpdate']?.oneOf?.map(({ properties }) => properties?.['sessionUpdate']?.const);
		const names = (told: Map<string, string>) => [...told.keys()].sort();
		assert.deepEqual(names(table('Requests and notifications to the agent')), [...methodsOf('agent')].sort());
		assert.deepEqual(names(ofAgent), [...methodsOf('client', 'protocol')].sort());
		assert.deepEqual(names(updates), kinds?.sort());
		const members = Object.keys(definitions['NewSessionRequest']?.properties ?? {}).filter(name => name !== '_meta');
		assert.deepEqual(names(opening), members.sort());
	});

	it('has no state but these', () => {
		const states = [ofAgent, updates, opening, table('Requests and notifications to the agent')].flatMap(told => [
			...told.values(),
		]);
		assert.deepEqual(new Set(states), new Set(['supported', 'refused', 'ignored']));
	});

	it('is true of the updates', () => {
		for (const [sessionUpdate, state] of updates) {
			const isOfSession = ['current_mode_update', 'config_option_update'].includes(sessionUpdate);
			const update = { sessionUpdate, ...UPDATES[sessionUpdate] };
			const event = readUpdate(update, new ToolCalls());
			assert.equal(event !== undefined && event.type !== 'other', state === 'supported' && !isOfSession, sessionUpdate);
		}
	});

	it('is true of the methods that are refused', async () => {
		const refused = [...ofAgent].flatMap(([name, state]) => (state === 'refused' ? [name] : []));
		await agent.play([...refused.map(request => ({ request, params: {} })), { answered: true }, { stop: 'end_turn' }]);
		assert.deepEqual(
			agent.told().map(({ error }) => error?.code),
			refused.map(() => -32_601),
		);
	});
});
