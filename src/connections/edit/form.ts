// Forms and lists of entries as lists of choices: each row is a field or an entry, and choosing one changes it.
import * as vscode from 'vscode';
import { entriesOf } from '../../base/entries.ts';
import { hasInvisible } from '../../base/invisible.ts';
import { type Choice, choose, chooseSome, input, separator, shownText } from '../../platform/pick.ts';
import { holdsSecret } from '../model/holdsSecret.ts';

export type Entry = Readonly<Record<string, unknown>>;

/** A field of an entry. `edit` resolves with the new value, undefined taking the field out, or with nothing. */
export interface Field {
	key: string;
	label: string;
	/** An entry without it could not be used, so it is asked for before the entry is written. */
	isRequired?: boolean;
	/** The value in a few words; an empty text where there is none. */
	shown(value: unknown): string;
	edit(value: unknown): Promise<{ value: unknown } | undefined>;
}

const MAXIMUM_TEXT = 300;

export interface TextOptions {
	prompt: string;
	/** Proposed where there is no value yet. */
	proposal?: string;
	isRequired?: boolean;
}

export function textField(
	key: string,
	label: string,
	{ prompt, proposal = '', isRequired = false }: TextOptions,
): Field {
	return {
		key,
		label,
		isRequired,
		shown: value => (typeof value === 'string' ? shownText(value) : ''),
		async edit(value) {
			const present = typeof value === 'string' ? value : proposal;
			const text = await input(label, prompt, present, typed =>
				holdsSecret(key, typed.trim())
					? vscode.l10n.t('That looks like a key. It would stand in the settings; a key is set in the part “Keys”.')
					: textProblem(typed.trim(), isRequired),
			);
			return text === undefined ? undefined : { value: text.trim() || undefined };
		},
	};
}

export function textProblem(text: string, isRequired: boolean): string | undefined {
	if (text === '') {
		return isRequired ? vscode.l10n.t('Type something.') : undefined;
	}
	return hasInvisible(text) || text.length > MAXIMUM_TEXT
		? vscode.l10n.t('Type at most {0} characters, all of them visible.', MAXIMUM_TEXT)
		: undefined;
}

/** Several texts, separated by commas. */
export function textsField(key: string, label: string, prompt: string): Field {
	const textOf = (value: unknown) => (Array.isArray(value) ? value.join(', ') : '');
	return {
		key,
		label,
		shown: value => shownText(textOf(value)),
		async edit(value) {
			const text = await input(label, prompt, textOf(value), typed =>
				typed.split(',').some(part => textProblem(part.trim(), false) !== undefined)
					? textProblem(typed, false)
					: undefined,
			);
			const parts = text?.split(',').flatMap(part => part.trim() || []);
			return parts && { value: parts.length === 0 ? undefined : parts };
		},
	};
}

export function numberField(key: string, label: string, prompt: string, isWhole: boolean): Field {
	return {
		key,
		label,
		shown: value => (typeof value === 'number' ? value.toLocaleString(vscode.env.language) : ''),
		async edit(value) {
			const text = await input(label, prompt, value === undefined ? '' : String(value), typed => {
				const number = Number(typed);
				const fits = isWhole ? Number.isSafeInteger(number) && number > 0 : Number.isFinite(number) && number >= 0;
				return typed.trim() === '' || fits
					? undefined
					: isWhole
						? vscode.l10n.t('Type a whole number above 0, or nothing.')
						: vscode.l10n.t('Type a number that is not below 0, or nothing.');
			});
			return text === undefined ? undefined : { value: text.trim() === '' ? undefined : Number(text) };
		},
	};
}

/** A choice between values; undefined as a value takes the field out. */
export function choiceField<T>(key: string, label: string, choices: readonly { label: string; value: T }[]): Field {
	return {
		key,
		label,
		shown: value => choices.find(choice => choice.value === value)?.label ?? '',
		async edit(value) {
			const chosen = await choose(
				label,
				choices.map(choice => ({ label: choice.label, value: choice })),
				{ ...activeOf(choices.find(choice => choice.value === value)) },
			);
			return chosen && { value: chosen.value };
		},
	};
}

const activeOf = <T>(active: T | undefined) => (active === undefined ? {} : { active });

export function flagField(key: string, label: string): Field {
	return choiceField(key, label, [
		{ label: vscode.l10n.t('Yes'), value: true },
		{ label: vscode.l10n.t('No'), value: false },
		{ label: vscode.l10n.t('Not known'), value: undefined },
	]);
}

/** Any number of values out of some. */
export function severalField(
	key: string,
	label: string,
	prompt: string,
	choices: readonly { label: string; value: string }[],
	whenAbsent: readonly string[],
): Field {
	const valuesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : whenAbsent);
	return {
		key,
		label,
		shown: value =>
			choices
				.filter(choice => valuesOf(value).includes(choice.value))
				.map(choice => choice.label)
				.join(', '),
		async edit(value) {
			const chosen = await chooseSome(
				label,
				prompt,
				choices.map(choice => ({ ...choice, picked: valuesOf(value).includes(choice.value) })),
			);
			return chosen && { value: chosen.length === 0 ? undefined : chosen };
		},
	};
}

export function fieldRow<T>(field: Field, value: unknown, result: T): Choice<T> {
	// A value of another form than the field edits is there all the same.
	const without = value === undefined ? vscode.l10n.t('not set') : vscode.l10n.t('as in the settings');
	return { label: field.label, description: field.shown(value) || without, value: result };
}

/** Returns the fields that an entry has, each with its value in a few words. */
function setFields(fields: readonly Field[], entry: Entry): [field: Field, text: string][] {
	return fields.flatMap((field): [Field, string][] => {
		const text = entry[field.key] === undefined ? '' : field.shown(entry[field.key]);
		return text === '' ? [] : [[field, text]];
	});
}

/** Lets the user change fields of an entry until the list is left. Each change is written at once. */
async function editForm(options: {
	title: string;
	fields: readonly Field[];
	read(): Entry;
	write(changes: Entry): Promise<void>;
	/** The label of a row that removes the entry. */
	removal?: string;
}): Promise<'removed' | undefined> {
	const { title, fields, read, write, removal } = options;
	for (let active: Field | undefined; ; ) {
		const entry = read();
		const rows: Choice<Field | 'remove'>[] = fields.map(field => fieldRow(field, entry[field.key], field));
		if (removal !== undefined) {
			rows.push(separator(''), { label: `$(trash) ${removal}`, value: 'remove' });
		}
		const chosen = await choose<Field | 'remove'>(title, rows, activeOf(active));
		if (chosen === undefined || chosen === 'remove') {
			return chosen && 'removed';
		}
		active = chosen;
		const edited = await chosen.edit(entry[chosen.key]);
		if (edited) {
			await write({ [chosen.key]: edited.value });
		}
	}
}

/** A field that has fields of its own, which are changed in a list and written together when it is left. */
export function groupField(key: string, label: string, fields: readonly Field[]): Field {
	return {
		key,
		label,
		shown: value =>
			setFields(fields, entriesOf(value))
				.map(([field, text]) => `${field.label}: ${text}`)
				.join(' · '),
		async edit(value) {
			const before = entriesOf(value);
			let entry: Entry = before;
			await editForm({
				title: label,
				fields,
				read: () => entry,
				async write(changes) {
					entry = withChanges(entry, changes);
				},
			});
			return entry === before ? undefined : { value: Object.keys(entry).length === 0 ? undefined : entry };
		},
	};
}

export interface EntryList {
	title: string;
	/** The field by which an entry is called. */
	nameField: string;
	fields: readonly Field[];
	/** The label of the row that adds an entry. */
	addition: string;
	removal: string;
	read(): readonly Entry[];
	write(entries: readonly Entry[]): Promise<void>;
	/** Further ways to fill the list. Each resolves with all of its entries, or with undefined where it stays as it is. */
	sources?: readonly { label: string; find(): Promise<readonly Entry[] | undefined> }[];
}

/** Lets the user add, change and remove entries until the list is left. */
export async function editList(list: EntryList): Promise<void> {
	const { title, nameField, fields, addition, removal, read, write, sources = [] } = list;
	const nameOf = (entry: Entry | undefined) => shownText(String(entry?.['label'] ?? entry?.[nameField] ?? ''));
	for (let active: string | undefined; ; ) {
		const entries = read();
		const rows: Choice<number | 'add' | (typeof sources)[number]>[] = [
			...entries.map((entry, index) => ({
				label: nameOf(entry),
				description: setFields(fields, entry)
					.filter(([{ key }, text]) => key !== 'label' && text !== nameOf(entry))
					// A bare yes or no would not say to what.
					.map(([{ key, label }, text]) => (typeof entry[key] === 'boolean' ? `${label}: ${text}` : text))
					.join(' · '),
				value: index,
			})),
			...(entries.length === 0 ? [] : [separator<number>('')]),
			...sources.map(source => ({
				label: `$(cloud-download) ${source.label}`,
				value: source,
			})),
			{ label: `$(add) ${addition}`, value: 'add' },
		];
		const chosen = await choose(title, rows, activeOf(rows.find(({ label }) => label === active)?.value));
		if (chosen === undefined) {
			return;
		}
		if (chosen === 'add') {
			const entry = await askRequired(fields);
			if (entry) {
				active = nameOf(entry);
				await editOne(await add(entry));
			}
		} else if (typeof chosen === 'number') {
			active = nameOf(entries[chosen]);
			await editOne(chosen);
		} else {
			const found = await chosen.find();
			if (found) {
				await write(found);
			}
		}
	}

	/** Resolves with the place of the entry. One of that name keeps whatever else is known of it. */
	async function add(entry: Entry): Promise<number> {
		const entries = read();
		const present = entries.findIndex(other => other[nameField] === entry[nameField]);
		await write(
			present === -1
				? [...entries, entry]
				: entries.map((other, at) => (at === present ? withChanges(other, entry) : other)),
		);
		return present === -1 ? entries.length : present;
	}

	async function editOne(index: number): Promise<void> {
		const end = await editForm({
			title: nameOf(read()[index]),
			fields,
			removal,
			read: () => read()[index] ?? {},
			write: changes => write(read().map((entry, at) => (at === index ? withChanges(entry, changes) : entry))),
		});
		if (end === 'removed') {
			await write(read().filter((_, at) => at !== index));
		}
	}
}

/** Asks for the fields that a new entry cannot do without. Resolves with undefined where one was not given. */
async function askRequired(fields: readonly Field[]): Promise<Entry | undefined> {
	const entry: Record<string, unknown> = {};
	for (const field of fields.filter(({ isRequired }) => isRequired)) {
		const given = await field.edit(undefined);
		if (given?.value === undefined) {
			return undefined;
		}
		entry[field.key] = given.value;
	}
	return entry;
}

function withChanges(entry: Entry, changes: Entry): Entry {
	return Object.fromEntries(Object.entries({ ...entry, ...changes }).filter(([, value]) => value !== undefined));
}
