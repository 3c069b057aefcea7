// The choices that an agent offers besides its model: its modes, and the options of its sessions. The agent names them,
// so their texts are hostile; they are on one line.
import * as z from 'zod';
import { lenient, lenientArray } from '../../contract/lenient.ts';
import type { AgentConnection } from './agentConnection.ts';
import { lostChoice } from './agentFailure.ts';
import type { AgentOption } from './events.ts';
import { MAXIMUM_ENTRIES, MAXIMUM_ID } from './limits.ts';
import { emptyReplySchema, nameText } from './replies.ts';

/** The id of the option that stands for the modes of an agent. */
const MODE = 'mode';

/** Options of these categories choose a model, which is up to the host. */
const OF_MODELS: ReadonlySet<string | undefined> = new Set(['model', 'model_config']);

const ON = 'on';
const OFF = 'off';

const id = z.string().min(1).max(MAXIMUM_ID);
const base = { id, name: nameText, category: lenient(z.string()) };

const value = z.object({ value: id, name: nameText });
const group = z.object({ options: lenientArray(value) }).transform(({ options }) => options);
const list = z
	.object({
		...base,
		type: z.literal('select'),
		currentValue: id,
		options: lenientArray(z.union([value.transform(one => [one]), group])).transform(groups =>
			groups.flat().slice(0, MAXIMUM_ENTRIES),
		),
	})
	.transform(({ type: _, currentValue, options, ...others }) => ({
		...others,
		kind: 'list' as const,
		value: currentValue,
		values: options,
	}));

const toggle = z
	.object({ ...base, type: z.literal('boolean'), currentValue: z.boolean() })
	.transform(({ type: _, currentValue, ...others }) => ({
		...others,
		kind: 'switch' as const,
		value: currentValue ? ON : OFF,
		values: [ON, OFF].map(one => ({ value: one, name: one })),
	}));

const modes = z
	.object({
		currentModeId: id,
		availableModes: lenientArray(z.object({ id, name: lenient(nameText) })),
	})
	.transform(({ currentModeId, availableModes }) => ({
		id: MODE,
		name: 'Mode',
		kind: 'modes' as const,
		isMode: true,
		value: currentModeId,
		values: availableModes.slice(0, MAXIMUM_ENTRIES).map(mode => ({ value: mode.id, name: mode.name ?? mode.id })),
	}));

/** Entries of a reply that do not fit are not options. */
const optionsSchema = z
	.object({ modes: lenient(modes), configOptions: lenient(lenientArray(z.union([list, toggle]))) })
	.transform(({ modes: mode, configOptions = [] }): { agentOptions: AgentOption[] } => {
		const options = configOptions
			.filter(({ category }) => !OF_MODELS.has(category))
			.map(({ category, ...option }) => ({ ...option, isMode: option.id === MODE || category === MODE }));
		// Agents whose modes are among the options send them a second time, for hosts that know only modes.
		const others = mode === undefined || options.some(({ isMode }) => isMode) ? [] : [mode];
		return { agentOptions: [...others, ...options].slice(0, MAXIMUM_ENTRIES) };
	});

/** The replies to `session/resume` and `session/load`, which some agents leave empty. */
export const reopenedReplySchema = z.preprocess(reply => reply ?? {}, optionsSchema);

/** The reply to `session/new`. */
export const createdReplySchema = z.object({ sessionId: id }).and(optionsSchema);

/** Returns the options after an update that changes them. */
export function changedOptions(
	options: readonly AgentOption[],
	update: Readonly<Record<string, unknown>>,
): readonly AgentOption[] {
	const { currentModeId, configOptions } = update;
	if (update['sessionUpdate'] === 'current_mode_update') {
		const isKnown = ({ isMode, values }: AgentOption) => isMode && values.some(({ value }) => value === currentModeId);
		return options.map(option => (isKnown(option) ? { ...option, value: String(currentModeId) } : option));
	}
	const told = Array.isArray(configOptions) ? optionsSchema.safeParse({ configOptions }).data?.agentOptions : undefined;
	// Modes that are not an option are reported by another update.
	return told
		? [...options.filter(({ kind }) => kind === 'modes' && !told.some(({ isMode }) => isMode)), ...told]
		: options;
}

/**
 * Sets the options of a session to the chosen values, by id. Resolves with the resulting options. Rejects with an
 * AgentFailure if the agent no longer has such a choice, and in the same way as the connection's requests.
 */
export async function setOptions(
	connection: AgentConnection,
	{ id: sessionId, agentOptions }: { id: string; agentOptions: readonly AgentOption[] },
	chosen: Readonly<Record<string, string>>,
	timeoutMs: number,
): Promise<AgentOption[]> {
	for (const [id, value] of Object.entries(chosen)) {
		const option = agentOptions.find(candidate => candidate.id === id);
		if (!option?.values.some(candidate => candidate.value === value)) {
			throw lostChoice(option?.name ?? id, value);
		}
		if (option.value !== value) {
			await setOption(connection, sessionId, option, value, timeoutMs);
		}
	}
	// An agent may give an option the name of a member that every object has.
	const values = new Map(Object.entries(chosen));
	return agentOptions.map(option => ({ ...option, value: values.get(option.id) ?? option.value }));
}

async function setOption(
	connection: AgentConnection,
	sessionId: string,
	{ id, kind }: AgentOption,
	value: string,
	timeoutMs: number,
): Promise<void> {
	if (kind === 'modes') {
		await connection.request('session/set_mode', { sessionId, modeId: value }, emptyReplySchema, timeoutMs);
		return;
	}
	const choice = kind === 'switch' ? { type: 'boolean' as const, value: value === ON } : { value };
	const params = { sessionId, configId: id, ...choice };
	await connection.request('session/set_config_option', params, emptyReplySchema, timeoutMs);
}
